import type { ProjectContext } from "../core/context.ts";
import { milestoneColumns } from "./_rows.ts";
import type { Milestone } from "./schema.ts";

/** Returns the project's milestones, open ones first and by due date. */
export async function listMilestones({ db, project }: ProjectContext) {
  const milestones = await db<Milestone[]>`
    select ${milestoneColumns(db)} from milestones m
    where m.project_id = ${project.id}::uuid and m.deleted_at is null
    order by m.state desc, m.due_on nulls last, m.name_key, m.id`;
  return { milestones, next_cursor: null };
}
