import type { AppError } from "../core/errors.ts";
import { describeError, log } from "../core/log.ts";

/** Writes down why a call failed, where the caller is told a fixed sentence only. */
export function logFailure(requestId: string, error: AppError): void {
  if (error.status < 500) return;
  log.error("request failed", {
    request_id: requestId,
    code: error.code,
    ...describeError(error.cause ?? error),
  });
}
