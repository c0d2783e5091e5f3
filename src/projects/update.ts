import { projectIsArchived } from "../core/access.ts";
import { recordAudit } from "../core/audit.ts";
import type { ProjectContext } from "../core/context.ts";
import { transact } from "../core/history.ts";
import { lockAccount, projectConflict } from "./_rows.ts";
import { getProject } from "./get.ts";
import type { Project, UpdateProject } from "./schema.ts";

/**
 * Changes a project's names, or archives it and takes it back. An archived project can be read but not written; archiving
 * it again changes nothing.
 */
export async function updateProject(ctx: ProjectContext, input: UpdateProject): Promise<Project> {
  const { id: _, ...changes } = input;
  const { archived, ...names } = changes;
  const project = await transact(ctx, async (ctx) => {
    await lockAccount(ctx, ctx.project.account_id);
    const [before] = await ctx.db<{ archived: boolean }[]>`
      select archived_at is not null as archived from projects where id = ${ctx.project.id}::uuid for update`;
    if (before!.archived && archived !== false) {
      if (!archived || Object.keys(names).length > 0) throw projectIsArchived();
      return await getProject(ctx, ctx.project);
    }
    await ctx.db`
      update projects set name = coalesce(${names.name ?? null}, name), key = coalesce(${
      names.key ?? null
    }, key),
        slug = coalesce(${names.slug ?? null}, slug), updated_at = now(),
        archived_at = case when ${archived ?? false} then now() end
      where id = ${ctx.project.id}::uuid`;
    await recordAudit(ctx, {
      account_id: ctx.project.account_id,
      action: archived ? "project.archived" : "project.updated",
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
