import type { z } from "zod";
import type { Db } from "../../db/open.ts";
import { AppError, fromZod, invalidRequest } from "./errors.ts";
import { outlineJson } from "./json_outline.ts";

/**
 * A body that was sent as JSON.
 * @throws {AppError} invalid_json; payload_too_large
 */
export function parseJson(body: Uint8Array): unknown {
  outlineJson(body);
  const text = decodeText(body);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new AppError("invalid_json", undefined, { cause: error });
  }
}

/** @throws {AppError} invalid_request for what is no object */
export function asObject(json: unknown): Record<string, unknown> {
  if (typeof json !== "object" || json === null || Array.isArray(json)) {
    throw invalidRequest([{ path: "", message: "The body must be a JSON object" }]);
  }
  return json as Record<string, unknown>;
}

/** Nothing is replaced: what can't be stored as it was sent is refused. @throws {AppError} invalid_json */
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

/** A value as jsonb in a statement; null is SQL's. */
export function jsonb(db: Db, value: object | null) {
  return db.json(value as Parameters<Db["json"]>[0]);
}
