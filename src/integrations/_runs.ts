import { v7 as uuid } from "uuid";
import { recordAudit } from "../core/audit.ts";
import type { ActorContext, Context } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { transact } from "../core/history.ts";
import type { Target } from "./_targets.ts";
import type { HookResult, HookRun } from "./schema.ts";

/** Writes down what is to be done, and leaves it to a job. Runs of a month ago go on this occasion. */
export async function startRun(ctx: ActorContext, targets: Target[]): Promise<HookRun> {
  const { user } = ctx.actor;
  const id = uuid();
  await transact(ctx, async (ctx) => {
    await ctx.db`
      delete from hook_runs where user_id = ${user.id}::uuid and finished_at < now() - interval '30 days'`;
    await ctx.db`insert into hook_runs (id, user_id) values (${id}::uuid, ${user.id}::uuid)`;
    await ctx.db`
      insert into hook_run_results (run_id, position, project_id, repo)
      select ${id}::uuid, position, (target ->> 'project_id')::uuid, target ->> 'repo'
      from jsonb_array_elements(${
      JSON.stringify(targets)
    }::text::jsonb) with ordinality as t (target, position)`;
    await recordAudit(ctx, {
      account_id: user.account_id,
      action: "code_hosting.hook_run_started",
      target_type: "hook_run",
      target_id: id,
      details: { repositories: targets.length },
    });
    await ctx.queue.enqueue(ctx.db, "set-up-hooks", { run_id: id });
  });
  return await readRun(ctx, id, user.id);
}

/** @throws {AppError} not_found for the run of another user, too */
export async function readRun(ctx: Context, runId: string, userId: string): Promise<HookRun> {
  const [run] = await ctx.db<Omit<HookRun, "results">[]>`
    select r.id as run_id, r.state, r.code, r.error, coalesce(r.code = 'code_hosting_not_linked', false) as reconnect,
      r.resumes_at, r.created_at, r.finished_at, c.*
    from hook_runs r cross join lateral (
      select count(*) as total, count(*) filter (where status = 'pending') as pending,
        count(*) filter (where status = 'created') as created, count(*) filter (where status = 'updated') as updated,
        count(*) filter (where status = 'unchanged') as unchanged, count(*) filter (where status = 'failed') as failed
      from hook_run_results where run_id = r.id) c
    where r.id = ${runId}::uuid and r.user_id = ${userId}::uuid`;
  if (!run) throw new AppError("not_found", "No such run of yours");
  const results = await ctx.db<{ result: HookResult }[]>`
    select jsonb_strip_nulls(jsonb_build_object('project_id', project_id, 'repo', repo, 'status', status, 'code', code,
      'error', error)) || jsonb_build_object('hook_id', hook_id) as result
    from hook_run_results where run_id = ${runId}::uuid and status <> 'pending' order by position`;
  return { ...run, results: results.map(({ result }) => result) };
}
