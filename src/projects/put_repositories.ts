import { recordAudit } from "../core/audit.ts";
import type { Context, ProjectContext } from "../core/context.ts";
import { transact } from "../core/history.ts";
import { getProject } from "./get.ts";
import type { Project, PutRepositories } from "./schema.ts";

/** Wires the project to exactly these repositories. */
export async function putRepositories(ctx: ProjectContext, input: PutRepositories): Promise<Project> {
  return await transact(ctx, async (ctx) => {
    await writeRepositories(ctx, ctx.project.id, input.repositories);
    await recordAudit(ctx, {
      account_id: ctx.project.account_id,
      action: "project.repositories_put",
      target_type: "project",
      target_id: ctx.project.id,
      details: { repositories: input.repositories },
    });
    return await getProject(ctx, ctx.project);
  });
}

/** Two statements whatever the number; the project's row is locked, so that two calls end with one call's list. */
export async function writeRepositories(ctx: Context, projectId: string, names: string[]): Promise<void> {
  await ctx.db`
    with project as materialized (select id from projects where id = ${projectId}::uuid for update)
    delete from project_repositories r using project p
    where r.project_id = p.id and r.full_name <> all (${names}::text[])`;
  await ctx.db`
    insert into project_repositories (project_id, full_name)
    select ${projectId}::uuid, name from unnest(${names}::text[]) as name
    on conflict (project_id, lower(full_name)) do nothing`;
}
