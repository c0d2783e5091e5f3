import type { Context } from "../core/context.ts";
import { newVersion } from "../core/if_match.ts";
import type { Author } from "../core/schema.ts";
import { changeInSlices } from "./_slices.ts";

/** Takes a deleted milestone off its tickets. The history names who deleted it. */
export async function leaveMilestone(
  ctx: Context,
  { milestone_id, author }: { milestone_id: string; author: Author },
): Promise<void> {
  await changeInSlices(ctx, author, async (db, most) => {
    const { count } = await db`
      with held as materialized (
        select id from tickets where milestone_id = ${milestone_id}::uuid order by id limit ${most} for update
      )
      update tickets t set milestone_id = null, ${newVersion(db, "t")} from held h where t.id = h.id`;
    return count;
  });
}
