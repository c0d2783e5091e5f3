import type { ProjectContext } from "../core/context.ts";
import type { Analysis } from "./schema.ts";

/** Returns the progress of the project's analysis. */
export async function getAnalysis(ctx: ProjectContext): Promise<Analysis> {
  const [{ asked, ...row }] = await ctx.db<[Omit<Analysis, "state"> & { asked: boolean }]>`
    select exists (
        select from pgboss.job j where j.name = 'analyze-project' and j.singleton_key = p.id || ':full'
          and j.state in ('created', 'retry', 'active')
      ) as asked,
      (select count(*) from analysis_backlog b where b.project_id = p.id) as waiting, coalesce(a.total, 0) as total,
      least(coalesce(a.done, 0), coalesce(a.total, 0)) as done, a.started_at, a.finished_at
    from projects p left join project_analyses a on a.project_id = p.id
    where p.id = ${ctx.project.id}::uuid`;
  const running = row.started_at !== null && row.finished_at === null;
  return { state: running ? "running" : asked || row.waiting > 0 ? "waiting" : "idle", ...row };
}
