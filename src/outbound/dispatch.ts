import { setTimeout as pause } from "node:timers/promises";
import type { Context } from "../core/context.ts";
import { describeError, log } from "../core/log.ts";
import { enqueueDueDeliveries } from "./enqueue_due.ts";

/** The time between two looks for due tries. */
const LOOK_MS = 2_000;

/** Runs in each process that runs jobs, until the service drains. */
export async function dispatchDeliveries(ctx: Context): Promise<void> {
  const { signal } = ctx;
  while (!signal.aborted) {
    await enqueueDueDeliveries(ctx).catch((error: unknown) => {
      if (!signal.aborted) log.warn("webhooks could not be dispatched", describeError(error));
    });
    await pause(LOOK_MS, undefined, { signal }).catch(() => {});
  }
}
