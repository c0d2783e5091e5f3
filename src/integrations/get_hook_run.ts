import type { ActorContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import type { HookResult, HookRun, HookRunPath } from "./schema.ts";

/**
 * Returns the progress of a set-up of many hooks to the user who asked for it.
 * @throws {AppError} not_found, also for another user's run
 */
export async function getHookRun({ db, actor }: ActorContext, { runId }: HookRunPath): Promise<HookRun> {
  const [run] = await db<Omit<HookRun, "results">[]>`
    select r.id as run_id, r.state, r.code, r.error, coalesce(r.code = 'code_hosting_not_linked', false) as reconnect,
      r.resumes_at, r.created_at, r.finished_at, c.*
    from hook_runs r cross join lateral (
      select count(*) as total, count(*) filter (where status = 'pending') as pending,
        count(*) filter (where status = 'created') as created, count(*) filter (where status = 'updated') as updated,
        count(*) filter (where status = 'unchanged') as unchanged, count(*) filter (where status = 'failed') as failed
      from hook_run_results where run_id = r.id) c
    where r.id = ${runId}::uuid and r.user_id = ${actor.user.id}::uuid`;
  if (!run) throw new AppError("not_found", "You have no such run");
  const results = await db<{ result: HookResult }[]>`
    select jsonb_strip_nulls(jsonb_build_object('project_id', project_id, 'repo', repo, 'status', status, 'code', code,
      'error', error)) || jsonb_build_object('hook_id', hook_id) as result
    from hook_run_results where run_id = ${runId}::uuid and status <> 'pending' order by position`;
  return { ...run, results: results.map(({ result }) => result) };
}
