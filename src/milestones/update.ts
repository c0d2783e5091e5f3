import type { ProjectContext } from "../core/context.ts";
import { nameKey } from "../core/names.ts";
import { transact } from "../core/transact.ts";
import { milestoneColumns, milestoneConflict, noSuchMilestone, recordMilestone } from "./_rows.ts";
import type { Milestone, UpdateMilestone } from "./schema.ts";

/** Changes a milestone, or closes it. Its tickets stay as they are. @throws {AppError} not_found; conflict for a known name */
export async function updateMilestone(ctx: ProjectContext, input: UpdateMilestone): Promise<Milestone> {
  const { id: _, milestoneId, ...changes } = input;
  const { name, description, due_on, state } = changes;
  return await transact(ctx, async (ctx) => {
    const { db, project } = ctx;
    const columns: Record<string, unknown> = {
      ...(name !== undefined && { name, name_key: nameKey(name) }),
      ...(description !== undefined && { description }),
      ...(due_on !== undefined && { due_on: db`${due_on}::date` }),
      ...(state !== undefined && { state }),
      updated_at: db`clock_timestamp()`,
    };
    const [milestone] = await db<Milestone[]>`
      update milestones m set ${db(columns)}
      where m.id = ${milestoneId}::uuid and m.project_id = ${project.id}::uuid and m.deleted_at is null
      returning ${milestoneColumns(db)}`;
    if (!milestone) throw noSuchMilestone();
    await recordMilestone(ctx, "updated", milestoneId, changes);
    return milestone;
  }).catch((error: unknown) => {
    throw milestoneConflict(error);
  });
}
