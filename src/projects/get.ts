import type { Context, ProjectAccess } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { projectColumns } from "./_rows.ts";
import type { Project } from "./schema.ts";

/** Returns a project as a caller with this role sees it. */
export async function getProject(
  ctx: Context,
  { id, role }: Pick<ProjectAccess, "id" | "role">,
): Promise<Project> {
  const [project] = await ctx.db<Project[]>`
    select ${projectColumns(ctx.db)}, ${role} as my_role from projects p where p.id = ${id}::uuid`;
  if (!project) throw new AppError("not_found", "No such project");
  return project;
}
