import type { ProjectContext } from "../core/context.ts";
import { transact } from "../core/transact.ts";
import { noSuchLabel, recordLabel } from "./_rows.ts";
import type { LabelPath } from "./schema.ts";

/**
 * Deletes a label. Tickets don't show it from now on; a job takes it off them, so that the history
 * of each says so. @throws {AppError} not_found
 */
export async function deleteLabel(ctx: ProjectContext, { labelId }: LabelPath): Promise<void> {
  await transact(ctx, async (ctx) => {
    const { db, project, author } = ctx;
    const { count } = await db`
      update labels set deleted_at = clock_timestamp(), updated_at = clock_timestamp()
      where id = ${labelId}::uuid and project_id = ${project.id}::uuid and deleted_at is null`;
    if (count === 0) throw noSuchLabel();
    await recordLabel(ctx, "deleted", labelId);
    await ctx.queue.enqueue(db, "replace-label", { label_id: labelId, author });
  });
}
