import type { z } from "zod";
import { messageOf } from "../../db/errors.ts";
import type { Db } from "../../db/open.ts";
import { AppError, fromZod, invalidRequest } from "./errors.ts";
import { outlineJson } from "./json_outline.ts";

/**
 * Parses a body that was sent as JSON.
 * @throws {AppError} invalid_json; payload_too_large
 */
export function parseJson(body: Uint8Array): unknown {
  outlineJson(body);
  const text = decodeText(body);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new AppError("invalid_json", `The body is not valid JSON${placeOf(error, text)}`, { cause: error });
  }
}

/**
 * The longest text in which the position of a fault is searched for if the parser doesn't tell it.
 * The search parses the text a dozen times.
 */
const MOST_SEARCHED = 16_384;

/**
 * Says at which position the JSON is broken, in the parser's words if the parser has any. The
 * sentence shows nothing of the text that was sent.
 */
function placeOf(error: unknown, text: string): string {
  const told = /\(line (\d+) column (\d+)\)/.exec(messageOf(error));
  if (told) return `: line ${told[1]}, column ${told[2]}`;
  if (isCutOff(error)) return ": it ends too early";
  if (text.length > MOST_SEARCHED) return "";
  const before = text.slice(0, lengthOfFineStart(text)).split("\n");
  return `: line ${before.length}, column ${before.at(-1)!.length + 1}`;
}

/** Returns the length of the longest beginning of the text that could still become JSON. */
function lengthOfFineStart(text: string): number {
  let [fine, broken] = [0, text.length];
  while (broken - fine > 1) {
    const middle = (fine + broken) >> 1;
    if (isFineStart(text.slice(0, middle))) fine = middle;
    else broken = middle;
  }
  return fine;
}

function isFineStart(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    return isCutOff(error);
  }
}

function isCutOff(error: unknown): boolean {
  return /end of JSON input|Unterminated|No number after|Exponent part|Bad Unicode escape/.test(
    messageOf(error),
  );
}

/** @throws {AppError} invalid_request when it is no object */
export function asObject(json: unknown): Record<string, unknown> {
  if (typeof json !== "object" || json === null || Array.isArray(json)) {
    throw invalidRequest([{ path: "", message: "The body must be a JSON object" }]);
  }
  return json as Record<string, unknown>;
}

/**
 * Decodes UTF-8 without replacing invalid bytes, because text that can't be stored as it was sent
 * is refused.
 * @throws {AppError} invalid_json
 */
export function decodeText(body: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(body);
  } catch (error) {
    throw new AppError("invalid_json", "The body is not valid UTF-8", { cause: error });
  }
}

/** @throws {AppError} invalid_request, which names the fields */
export function parseAs<Schema extends z.ZodType>(schema: Schema, value: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw fromZod(parsed.error);
  return parsed.data;
}

/** Passes a value as jsonb to a statement. null becomes SQL's null. */
export function jsonb(db: Db, value: object | null) {
  return db.json(value as Parameters<Db["json"]>[0]);
}
