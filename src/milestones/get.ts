import type { ProjectContext } from "../core/context.ts";
import { milestoneColumns, noSuchMilestone } from "./_rows.ts";
import type { Milestone, MilestonePath } from "./schema.ts";

/** @throws {AppError} not_found */
export async function getMilestone(ctx: ProjectContext, { milestoneId }: MilestonePath): Promise<Milestone> {
  const { db, project } = ctx;
  const [milestone] = await db<Milestone[]>`
    select ${milestoneColumns(db)} from milestones m
    where m.id = ${milestoneId}::uuid and m.project_id = ${project.id}::uuid and m.deleted_at is null`;
  if (!milestone) throw noSuchMilestone();
  return milestone;
}
