import type { Context } from "../core/context.ts";
import { newVersion } from "../core/if_match.ts";
import type { Author } from "../core/schema.ts";
import { transact } from "../core/transact.ts";

/** Tickets of one transaction, so that no other change waits long for their locks. */
const SLICE = 200;

/** Takes a deleted milestone off its tickets. The history names who deleted it. */
export async function leaveMilestone(
  ctx: Context,
  { milestone_id, author }: { milestone_id: string; author: Author },
): Promise<void> {
  while (await leaveSome({ ...ctx, author }, milestone_id) === SLICE);
}

async function leaveSome(ctx: Context, milestoneId: string): Promise<number> {
  return await transact(ctx, async ({ db }) => {
    const { count } = await db`
      with held as materialized (
        select id from tickets where milestone_id = ${milestoneId}::uuid order by id limit ${SLICE} for update
      )
      update tickets t set milestone_id = null, ${newVersion(db, "t")} from held h where t.id = h.id`;
    return count;
  });
}
