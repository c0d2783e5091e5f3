import type { ProjectContext } from "../core/context.ts";
import { invalidField } from "../core/errors.ts";
import { transact } from "../core/transact.ts";
import { labelColumns, noSuchLabel, recordLabel } from "./_rows.ts";
import type { Label, MergeLabel } from "./schema.ts";

/**
 * Merges a label into another one, which its tickets show from now on. A job replaces it on them.
 * @throws {AppError} not_found; invalid_request when both are the same
 */
export async function mergeLabel(ctx: ProjectContext, { labelId, into }: MergeLabel): Promise<Label> {
  if (labelId === into) throw invalidField("into", "Is the label itself");
  return await transact(ctx, async (ctx) => {
    const { db, project, author } = ctx;
    const both = await db`
      select from labels where id in (${labelId}::uuid, ${into}::uuid) and project_id = ${project.id}::uuid
        and deleted_at is null order by id for update`;
    if (both.count < 2) throw noSuchLabel();
    // A label that was merged into this one, and whose tickets the job hasn't reached, goes along.
    await db`
      update labels set merged_into = ${into}::uuid, deleted_at = coalesce(deleted_at, clock_timestamp()),
        updated_at = clock_timestamp()
      where id = ${labelId}::uuid or merged_into = ${labelId}::uuid`;
    await ctx.queue.enqueue(db, "replace-label", { label_id: labelId, author });
    await recordLabel(ctx, "merged", labelId, { into });
    const [target] = await db<[Label]>`select ${labelColumns(db)} from labels l where l.id = ${into}::uuid`;
    return target;
  });
}
