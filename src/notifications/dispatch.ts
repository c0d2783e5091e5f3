import { setTimeout as pause } from "node:timers/promises";
import type { Context } from "../core/context.ts";
import { describeError, log } from "../core/log.ts";
import { enqueueDueNotifications } from "./enqueue_due.ts";

/**
 * The time between two looks for due messages. The scheduled job, once a minute, would be too late
 * for a question.
 */
const LOOK_MS = 2_000;

/** Runs in each process that runs jobs, until the service drains. */
export async function dispatchNotifications(ctx: Context): Promise<void> {
  const { signal } = ctx;
  while (!signal.aborted) {
    try {
      await enqueueDueNotifications(ctx);
    } catch (error) {
      if (signal.aborted) return;
      log.warn("notifications could not be dispatched", describeError(error));
    }
    await pause(LOOK_MS, undefined, { signal }).catch(() => {});
  }
}
