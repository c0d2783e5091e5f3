import { requireProject } from "../core/access.ts";
import type { ActorContext } from "../core/context.ts";
import type { EventFilter } from "./schema.ts";

interface Start {
  position: number;
  /** Events before `position` are no longer available. */
  resync: boolean;
}

/**
 * Returns the position at which to begin. If the number is older than the stored events, or was
 * never used, events may be missing after it, so the caller begins at the end.
 * @throws {AppError} forbidden
 */
export async function startAfter(
  ctx: ActorContext,
  { project_id }: EventFilter,
  after: number | undefined,
): Promise<Start> {
  if (project_id !== undefined) {
    await requireProject(ctx, project_id, { needed: "viewer", denial: "forbidden" });
  }
  if (after === undefined) return { position: ctx.feed.last, resync: false };
  // A caller who follows the events is usually at the end already. That case costs no statement.
  if (after === 0 || after === ctx.feed.last || ctx.feed.recentAfter(after)?.length) {
    return { position: after, resync: false };
  }
  const [{ oldest, last }] = await ctx.db<[{ oldest: number; last: number }]>`
    select coalesce((select min(seq) from events), last_seq + 1) as oldest, last_seq as last from event_counter`;
  const isKnown = after >= oldest - 1 && after <= last;
  return isKnown ? { position: after, resync: false } : { position: last, resync: true };
}
