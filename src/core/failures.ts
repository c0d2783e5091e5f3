import {
  endsConnection,
  isDeadlock,
  isLockTimeout,
  isOutOfMemory,
  isTimeout,
  isUnavailable,
  isUniqueViolation,
} from "../../db/errors.ts";
import { AppError } from "./errors.ts";

/**
 * Turns any error into an entry of the error table. The original error stays as the entry's cause,
 * which only the log shows.
 */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (isOutOfMemory(error)) {
    return new AppError("unavailable", "The database had too little memory for this call", { cause: error });
  }
  if (isUnavailable(error) || endsConnection(error)) {
    return new AppError("unavailable", "The database is not available", { cause: error });
  }
  if (isLockTimeout(error) || isDeadlock(error)) {
    return new AppError("unavailable", "Other calls hold locks that this call needs; try again", {
      cause: error,
    });
  }
  if (isTimeout(error)) {
    return new AppError("unavailable", "The database took too long for this call; try again", {
      cause: error,
    });
  }
  return new AppError("internal", undefined, { cause: error });
}

/**
 * Turns the violation of a unique constraint into a conflict, with the sentence that `sentences`
 * has for the constraint. Returns any other error as it is.
 */
export function conflictOf(error: unknown, sentences: Record<string, string>): unknown {
  const broken = Object.entries(sentences).find(([constraint]) => isUniqueViolation(error, constraint));
  return broken ? new AppError("conflict", broken[1], { cause: error }) : error;
}
