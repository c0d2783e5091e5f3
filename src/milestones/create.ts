import { v7 as uuid } from "uuid";
import type { ProjectContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { nameKey } from "../core/names.ts";
import { transact } from "../core/transact.ts";
import { lockProject } from "../projects/lock.ts";
import { milestoneColumns, milestoneConflict, recordMilestone } from "./_rows.ts";
import { type CreateMilestone, MAX_MILESTONES, type Milestone } from "./schema.ts";

/** Adds a milestone to the project. @throws {AppError} conflict for a known name, or past 500 milestones */
export async function createMilestone(ctx: ProjectContext, input: CreateMilestone): Promise<Milestone> {
  const { name, description, due_on } = input;
  return await transact(ctx, async (ctx) => {
    const { db, project } = ctx;
    await lockProject(ctx, project.id);
    const [made] = await db<Milestone[]>`
      insert into milestones as m (id, project_id, name, name_key, description, due_on)
      select ${uuid()}::uuid, ${project.id}::uuid, ${name}, ${nameKey(name)}, ${description}, ${due_on}::date
      where (select count(*) from milestones where project_id = ${project.id}::uuid and deleted_at is null) < ${MAX_MILESTONES}
      returning ${milestoneColumns(db)}`;
    if (!made) throw new AppError("conflict", `A project may have at most ${MAX_MILESTONES} milestones`);
    await recordMilestone(ctx, "created", made.id, { name, description, due_on, state: made.state });
    return made;
  }).catch((error: unknown) => {
    throw milestoneConflict(error);
  });
}
