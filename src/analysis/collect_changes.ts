import type { Context } from "../core/context.ts";
import { transact } from "../core/transact.ts";
import { markChanged } from "./_backlog.ts";

/** History rows in one step; a busy hour has some thousands. */
const STEP = 20_000;
/**
 * Rows get their numbers before they are committed, so a later row may be visible first. No
 * transaction lasts as long as this, so all older rows are visible; younger rows are read again
 * next time. A row that seems younger even then was written before the clock was set back.
 */
const SETTLED_SECONDS = 60;

/**
 * Reads the next part of the history and marks which tickets changed in which projects. A write
 * therefore costs nothing for its later analysis, and many writes to one ticket cause one look at
 * it.
 */
export async function collectChanges(ctx: Context): Promise<void> {
  let more = true;
  while (more) more = await transact(ctx, collectStep);
  await transact(ctx, enqueueAnalyses);
}

async function collectStep({ db }: Context): Promise<boolean> {
  const [cursor] = await db<[{ history_id: number }]>`select history_id from analysis_cursor for update`;
  const settling = db`make_interval(secs => ${SETTLED_SECONDS})`;
  const [row] = await db<[{ rows: number; settled: number | null }]>`
    with page as materialized (
      select id, project_id, ticket_id, created_at from history where id > ${cursor.history_id} order by id limit ${STEP}
    ), marked as (
      ${markChanged(db, "page")}
    ), first_unsettled as (
      select min(id) as id from page where created_at between now() - ${settling} and now() + ${settling}
    )
    select count(*) as rows, max(p.id) filter (where u.id is null or p.id < u.id) as settled from page p, first_unsettled u`;
  if (row.settled !== null) await db`update analysis_cursor set history_id = ${row.settled}`;
  return row.rows === STEP && row.settled !== null;
}

async function enqueueAnalyses(ctx: Context): Promise<void> {
  const projects = await ctx.db<{ project_id: string }[]>`
    select p.id as project_id from projects p where exists (select from analysis_backlog b where b.project_id = p.id)`;
  for (const { project_id } of projects) {
    await ctx.queue.enqueue(ctx.db, "analyze-project", { project_id });
  }
}
