import { setTimeout as pause } from "node:timers/promises";
import { withDatabase } from "../database.ts";
import type { Stage } from "./service.ts";

interface JobRow {
  name: string;
  state: string;
  count: number;
}

/**
 * Waits until no job is left that could run, and returns the jobs that are left after `seconds`.
 * The embedded database can't be read while its process runs, so the process is ended for each look
 * and started again.
 */
export async function unfinishedJobs(stage: Stage, seconds: number): Promise<JobRow[]> {
  const isServer = stage.place.url !== undefined;
  for (const started = performance.now();;) {
    await pause(isServer ? 2_000 : 20_000);
    if (!isServer) await stage.service.stop();
    const left = await readUnfinished(stage);
    if (!isServer) await stage.start();
    if (left.length === 0 || performance.now() - started > seconds * 1000) return left;
  }
}

/**
 * Reads the service's jobs that are due or running. A job that waits for its next try is neither.
 */
export async function readUnfinished({ place }: Stage): Promise<JobRow[]> {
  return await withDatabase(place, (sql) =>
    sql<JobRow[]>`
      select name, state::text as state, count(*) as count from pgboss.job
      where name not like '\\_\\_pgboss%' and (state = 'active' or (state in ('created', 'retry') and start_after < now()))
      group by 1, 2`);
}
