import type { Context } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import type { IdPath } from "../core/schema.ts";
import { projectColumns } from "./_rows.ts";
import type { Project } from "./schema.ts";

export async function getProject(ctx: Context, input: IdPath): Promise<Project> {
  const [project] = await ctx.db<Project[]>`
    select ${projectColumns(ctx.db)} from projects p where p.id = ${input.id}::uuid`;
  if (!project) throw new AppError("not_found", "No such project");
  return project;
}
