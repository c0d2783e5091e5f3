import { recordAudit } from "../core/audit.ts";
import type { Context, ProjectContext } from "../core/context.ts";
import { inOrder } from "../core/in_order.ts";
import { transact } from "../core/transact.ts";
import { getProject } from "./get.ts";
import { lockProject } from "./lock.ts";
import type { Project, PutRepositories } from "./schema.ts";

/** Wires the project to exactly these repositories. The same ones again change nothing. */
export async function putRepositories(ctx: ProjectContext, input: PutRepositories): Promise<Project> {
  return await transact(ctx, async (ctx) => {
    if (await writeRepositories(ctx, ctx.project.id, input.repositories)) {
      await ctx.db`update projects set updated_at = clock_timestamp() where id = ${ctx.project.id}::uuid`;
      await recordAudit(ctx, {
        account_id: ctx.project.account_id,
        action: "project.repositories_put",
        target_type: "project",
        target_id: ctx.project.id,
        details: { repositories: input.repositories },
      });
    }
    return await getProject(ctx, ctx.project);
  });
}

/**
 * Writes the repositories in three statements for any number of them, and tells whether anything
 * changed. Two simultaneous calls end with one call's list, because the second reads after the
 * first has released the lock.
 * @throws {AppError} forbidden when the project is archived
 */
export async function writeRepositories(ctx: Context, projectId: string, names: string[]): Promise<boolean> {
  const [, removed, added] = await inOrder(
    lockProject(ctx, projectId),
    ctx.db`
      delete from project_repositories
      where project_id = ${projectId}::uuid and full_name <> all (${names}::text[])`,
    ctx.db`
      insert into project_repositories (project_id, full_name)
      select ${projectId}::uuid, name from unnest(${names}::text[]) as name
      on conflict (project_id, lower(full_name)) do nothing`,
  );
  return removed.count + added.count > 0;
}
