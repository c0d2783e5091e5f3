import type { Context as HonoContext, MiddlewareHandler } from "hono";
import type { Services } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { CALL_MS, WAITING_CALL_MS } from "../core/time_limits.ts";
import { setSharedTimeout } from "./shared_timeout.ts";
import { InFlight } from "./in_flight.ts";
import type { HttpEnv } from "./request.ts";

/**
 * Answers every call in time. A call gets a 503 at once if the database is lost, and otherwise
 * after half a minute, or after a whole minute if `waits` says that the call may wait for an event.
 * Work that has begun goes on to its end. The client is told that the work may have happened, as
 * with every 503 of a write.
 */
export function deadline(
  { databaseHealth }: Services,
  waits: (c: HonoContext<HttpEnv>) => boolean = () => false,
): MiddlewareHandler<HttpEnv> {
  const calls = new InFlight<PromiseWithResolvers<never>>();
  databaseHealth.onLoss(() => {
    for (const over of calls.items()) over.reject(databaseLost());
  });
  return async (c, next) => {
    if (databaseHealth.lost) throw databaseLost();
    const over = Promise.withResolvers<never>();
    const forget = calls.add(over);
    const ms = waits(c) ? WAITING_CALL_MS : CALL_MS;
    const cancel = setSharedTimeout(ms, () => over.reject(tooLate(ms)));
    try {
      await Promise.race([next(), over.promise]);
    } finally {
      cancel();
      forget();
    }
  };
}

function databaseLost(): AppError {
  return new AppError("unavailable", "The database is not available");
}

function tooLate(ms: number): AppError {
  return new AppError("unavailable", `The call was not done within ${ms / 1000} s`);
}
