import { projectIsArchived } from "../core/access.ts";
import { recordAudit } from "../core/audit.ts";
import type { ProjectContext } from "../core/context.ts";
import { transact } from "../core/history.ts";
import { projectConflict } from "./_rows.ts";
import { getProject } from "./get.ts";
import type { Project, UpdateProject } from "./schema.ts";

/** Changes a project's names, or archives it and takes it back. An archived project can be read but not written. */
export async function updateProject(ctx: ProjectContext, input: UpdateProject): Promise<Project> {
  if (ctx.project.archived && input.archived === undefined) throw projectIsArchived();
  const project = await transact(ctx, async (ctx) => {
    await ctx.db`
      update projects set name = coalesce(${input.name ?? null}, name), key = coalesce(${
      input.key ?? null
    }, key),
        slug = coalesce(${input.slug ?? null}, slug),
        archived_at = case ${input.archived ?? null}::boolean when true then coalesce(archived_at, now())
          when false then null else archived_at end,
        updated_at = now()
      where id = ${ctx.project.id}::uuid`;
    const { id: _, ...changes } = input;
    await recordAudit(ctx, {
      account_id: ctx.project.account_id,
      action: input.archived ? "project.archived" : "project.updated",
      target_type: "project",
      target_id: ctx.project.id,
      details: changes,
    });
    return await getProject(ctx, ctx.project);
  }).catch((error: unknown) => {
    throw projectConflict(error);
  });
  ctx.access.clear();
  return project;
}
