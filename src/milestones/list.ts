import type { ProjectContext } from "../core/context.ts";
import { summaryColumns } from "./_rows.ts";
import type { MilestoneSummary } from "./schema.ts";

/** Returns the project's milestones, open ones first and by due date. */
export async function listMilestones({ db, project }: ProjectContext) {
  const milestones = await db<MilestoneSummary[]>`
    select ${summaryColumns(db)} from milestones m
    where m.project_id = ${project.id}::uuid and m.deleted_at is null
    order by m.state desc, m.due_on nulls last, m.name_key, m.id`;
  return { milestones, next_cursor: null };
}
