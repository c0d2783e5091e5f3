import type { Context } from "hono";
import { endsConnection, isUnavailable } from "../../db/errors.ts";
import type { AppError, ErrorCode } from "../core/errors.ts";
import { toAppError } from "../core/failures.ts";
import { describeError, log } from "../core/log.ts";
import { failureOfRequest } from "../routers/trpc.ts";
import { errorPage, isNavigation } from "./error_page.ts";
import type { HttpEnv } from "./request.ts";

/**
 * Answers a request that no route has answered. The answer has the form of REST or of tRPC, by the
 * request's path, or is a page if a person opened the address.
 */
export function fail(thrown: unknown, c: Context<HttpEnv>): Response | Promise<Response> {
  const error = toAppError(thrown);
  const { requestId } = c.var;
  logFailure(requestId, error);
  for (const [name, value] of headersOf(error)) c.header(name, value);
  const body = error.body(requestId);
  c.set("code", body.code);
  c.header("Vary", "Accept", { append: true });
  if (isNavigation(c)) return errorPage(c, error);
  return c.json(c.req.path.startsWith("/trpc/") ? failureOfRequest(error, requestId) : body, error.status);
}

/** The seconds after which a caller may try an unavailable service again. */
const UNAVAILABLE_S = 5;

/** The header fields that belong to a failure, over REST and over tRPC. */
export function headersOf({ code, fields }: AppError): [name: string, value: string][] {
  const seconds = fields.retryAfter ?? (code === "unavailable" ? UNAVAILABLE_S : undefined);
  return Object.entries({
    ...fields.headers,
    ...(seconds !== undefined && { "Retry-After": String(seconds) }),
  });
}

const NOT_SET_UP: ReadonlySet<ErrorCode> = new Set(["not_configured", "webhook_secret_not_configured"]);

/** Logs why a call failed, if the caller is told only a fixed sentence. */
export function logFailure(requestId: string, error: AppError): void {
  if (error.status < 500) return;
  // An optional feature that was never set up has not failed.
  if (NOT_SET_UP.has(error.code)) {
    return log.info("not set up", { request_id: requestId, code: error.code, reason: error.message });
  }
  const cause = error.cause ?? error;
  const { stack, ...facts } = describeError(cause);
  // In an outage every call fails in this way, with the same stack of a socket or a timer. These
  // stacks would fill a gigabyte of log in a weekend, so they are left out.
  const isOutage = error.code === "unavailable" &&
    (cause === error || isUnavailable(cause) || endsConnection(cause));
  log.error("request failed", {
    request_id: requestId,
    code: error.code,
    ...facts,
    ...(!isOutage && { stack }),
  });
}
