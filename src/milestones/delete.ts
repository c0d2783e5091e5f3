import type { ProjectContext } from "../core/context.ts";
import { transact } from "../core/transact.ts";
import { noSuchMilestone, recordMilestone } from "./_rows.ts";
import type { MilestonePath } from "./schema.ts";

/**
 * Deletes a milestone. Tickets don't show it from now on; a job takes it off them, so that the
 * history of each says so. @throws {AppError} not_found
 */
export async function deleteMilestone(ctx: ProjectContext, { milestoneId }: MilestonePath): Promise<void> {
  await transact(ctx, async (ctx) => {
    const { db, project, author } = ctx;
    const { count } = await db`
      update milestones set deleted_at = clock_timestamp(), updated_at = clock_timestamp()
      where id = ${milestoneId}::uuid and project_id = ${project.id}::uuid and deleted_at is null`;
    if (count === 0) throw noSuchMilestone();
    await recordMilestone(ctx, "deleted", milestoneId);
    await ctx.queue.enqueue(db, "leave-milestone", { milestone_id: milestoneId, author });
  });
}
