import { projectIsArchived } from "../core/access.ts";
import { recordAudit } from "../core/audit.ts";
import { changedFields } from "../core/changed_fields.ts";
import type { ProjectContext } from "../core/context.ts";
import { forgetAccess } from "../core/forget_access.ts";
import { transact } from "../core/transact.ts";
import { projectConflict } from "./_rows.ts";
import { getProject } from "./get.ts";
import { lockAccount } from "./lock.ts";
import type { Project, UpdateProject } from "./schema.ts";

/**
 * Changes a project's names and who closes its tickets, or archives or restores it. An archived project can be read but not
 * changed. Values that the project already has are not written.
 */
export async function updateProject(ctx: ProjectContext, input: UpdateProject): Promise<Project> {
  const { id: _, ...changes } = input;
  const { archived, name = null, key = null, slug = null, closing = null, time_zone = null } = changes;
  return await transact(ctx, async (ctx) => {
    await lockAccount(ctx, ctx.project.account_id);
    const [before] = await ctx.db<[{ archived: boolean }]>`
      select name, key, slug, closing, time_zone, archived_at is not null as archived from projects
      where id = ${ctx.project.id}::uuid for update`;
    if (Object.keys(changedFields(before, changes)).length === 0) return await getProject(ctx, ctx.project);
    if (before.archived && archived !== false) throw projectIsArchived();
    await ctx.db`
      update projects set name = coalesce(${name}, name), key = coalesce(${key}, key), slug = coalesce(${slug}, slug),
        closing = coalesce(${closing}, closing), time_zone = coalesce(${time_zone}, time_zone),
        archived_at = case when ${archived === true} then clock_timestamp() end,
        updated_at = clock_timestamp()
      where id = ${ctx.project.id}::uuid`;
    forgetAccess(ctx);
    await recordAudit(ctx, {
      account_id: ctx.project.account_id,
      action: archived ? "project.archived" : "project.updated",
      target_type: "project",
      target_id: ctx.project.id,
      details: changes,
    });
    return await getProject(ctx, ctx.project);
  }).catch(async (error: unknown) => {
    throw await projectConflict(ctx, error, { accountId: ctx.project.account_id, key: input.key });
  });
}
