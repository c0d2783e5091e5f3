import type { MiddlewareHandler } from "hono";
import type { Services } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { CALL_MS } from "../core/time_limits.ts";
import { setAlarm } from "./alarm.ts";
import { Bag } from "./bag.ts";
import type { HttpEnv } from "./request.ts";

/**
 * Answers every call in time: at once when the database is lost, and after half a minute whatever it waits for. Work
 * that has begun goes on to its end; its client is told what holds for every 503 of a write: it may have happened.
 */
export function deadline({ pulse }: Services): MiddlewareHandler<HttpEnv> {
  const calls = new Bag<PromiseWithResolvers<never>>();
  pulse.onLoss(() => {
    for (const over of calls.items()) over.reject(databaseLost());
  });
  return async (_, next) => {
    if (pulse.lost) throw databaseLost();
    const over = Promise.withResolvers<never>();
    const forget = calls.add(over);
    const cancel = setAlarm(CALL_MS, () => over.reject(tooLate()));
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

function tooLate(): AppError {
  return new AppError("unavailable", `The call was not done within ${CALL_MS / 1000} s`);
}
