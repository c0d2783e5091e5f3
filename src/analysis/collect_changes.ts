import type { Context } from "../core/context.ts";
import { type EventRange, follower } from "../core/follower.ts";
import { transact } from "../core/transact.ts";
import { markChanged } from "./_backlog.ts";

/** Events in one step; a busy hour has some thousands. */
const STEP = 20_000;

const changes = follower("analysis", markRange, STEP);

/**
 * Marks the tickets that changed, in all projects, and requests an analysis of each project that
 * has marks. A write therefore costs nothing for its later analysis, and many writes to one ticket
 * cause one look at it.
 */
export async function collectChanges(ctx: Context): Promise<void> {
  await markChanges(ctx);
  await transact(ctx, enqueueAnalyses);
}

/** Marks all tickets that changed up to now, unless another process is doing it. */
export async function markChanges(ctx: Context): Promise<void> {
  await changes.catchUp(ctx);
}

async function markRange({ db }: Context, { after, last }: EventRange): Promise<void> {
  await markChanged(
    db,
    db`
    select e.seq, e.project_id, h.ticket_id from events e join history h on h.id = e.history_id
    where e.seq > ${after}::bigint and e.seq <= ${last}::bigint`,
  );
}

async function enqueueAnalyses(ctx: Context): Promise<void> {
  const projects = await ctx.db<{ project_id: string }[]>`
    select p.id as project_id from projects p where exists (select from analysis_backlog b where b.project_id = p.id)`;
  for (const { project_id } of projects) {
    await ctx.queue.enqueue(ctx.db, "analyze-project", { project_id });
  }
}
