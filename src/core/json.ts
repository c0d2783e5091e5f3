import type { z } from "zod";
import { AppError, fromZod } from "./errors.ts";

/**
 * A body that was sent as JSON.
 * @throws {AppError} invalid_json
 */
export function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch (error) {
    const message = error instanceof SyntaxError ? undefined : "The body is not valid UTF-8";
    throw new AppError("invalid_json", message, { cause: error });
  }
}

/** @throws {AppError} invalid_request, which names the fields */
export function parseAs<Schema extends z.ZodType>(schema: Schema, value: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw fromZod(parsed.error);
  return parsed.data;
}
