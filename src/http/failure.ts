import type { Context } from "hono";
import type { AppError } from "../core/errors.ts";
import { toAppError } from "../core/failures.ts";
import { describeError, log } from "../core/log.ts";
import { failureOfRequest } from "../routers/trpc.ts";
import type { HttpEnv } from "./request.ts";

/** The answer to whatever no route answered, in the form of the door that it came to. */
export function fail(thrown: unknown, c: Context<HttpEnv>): Response {
  const error = toAppError(thrown);
  const { requestId } = c.var;
  logFailure(requestId, error);
  for (const [name, value] of Object.entries(error.fields.headers ?? {})) c.header(name, value);
  if (error.code === "unavailable") c.header("Retry-After", "5");
  const body = c.req.path.startsWith("/trpc/") ? failureOfRequest(error, requestId) : error.body(requestId);
  return c.json(body, error.status);
}

/** Writes down why a call failed, where the caller is told a fixed sentence only. */
export function logFailure(requestId: string, error: AppError): void {
  if (error.status < 500) return;
  log.error("request failed", {
    request_id: requestId,
    code: error.code,
    ...describeError(error.cause ?? error),
  });
}
