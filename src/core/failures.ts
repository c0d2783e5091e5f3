import { isDeadlock, isTimeout, isUnavailable } from "../../db/errors.ts";
import { AppError } from "./errors.ts";

/** Whatever was thrown, as an entry of the error table. The cause of what no caller may read stays on it for the log. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (isUnavailable(error)) {
    return new AppError("unavailable", "The database is not available", { cause: error });
  }
  if (isTimeout(error) || isDeadlock(error)) {
    return new AppError("unavailable", "The database was too busy for this call; try again", {
      cause: error,
    });
  }
  return new AppError("internal", undefined, { cause: error });
}
