import { setTimeout as pause } from "node:timers/promises";
import type { Context } from "../core/context.ts";
import { describeError, log } from "../core/log.ts";
import { fanOutEvents } from "./fan_out.ts";

/** The time between two looks for new endpoints and due tries, if no event comes. */
const LOOK_S = 2;
/** The least time between two looks. */
const PACE_MS = 100;

/**
 * Runs in each process that runs jobs, until the service drains. It reads no events if there are no
 * endpoints.
 */
export async function dispatchEvents(ctx: Context): Promise<void> {
  const { feed, signal, db } = ctx;
  while (!signal.aborted) {
    try {
      const projects = await db<{ project_id: string }[]>`
        select distinct project_id from outbound_endpoints where enabled`;
      const heard = new Set(projects.map(({ project_id }) => project_id));
      using watch = heard.size > 0 ? feed.watch(({ project_id }) => heard.has(project_id)) : null;
      if (watch) await fanOutEvents(ctx);
      await (watch ? watch.next({ seconds: LOOK_S, signal }) : pause(LOOK_S * 1000, undefined, { signal }));
      await pause(PACE_MS);
    } catch (error) {
      if (signal.aborted) return;
      log.warn("webhooks could not be dispatched", describeError(error));
      await pause(LOOK_S * 1000);
    }
  }
}
