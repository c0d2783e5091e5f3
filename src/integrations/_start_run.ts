import { v7 as uuid } from "uuid";
import { recordAudit } from "../core/audit.ts";
import type { ActorContext } from "../core/context.ts";
import { jsonb } from "../core/json.ts";
import { transact } from "../core/transact.ts";
import type { HookTarget } from "./_targets.ts";
import { getHookRun } from "./get_hook_run.ts";
import type { HookRun } from "./schema.ts";

/** Stores the work to be done and leaves it to a job. */
export async function startRun(ctx: ActorContext, targets: HookTarget[]): Promise<HookRun> {
  const { user } = ctx.actor;
  const id = uuid();
  await transact(ctx, async (ctx) => {
    await ctx.db`insert into hook_runs (id, user_id) values (${id}::uuid, ${user.id}::uuid)`;
    await ctx.db`
      insert into hook_run_results (run_id, position, project_id, repo)
      select ${id}::uuid, position, (target ->> 'project_id')::uuid, target ->> 'repo'
      from jsonb_array_elements(${jsonb(ctx.db, targets)}) with ordinality as t (target, position)`;
    await recordAudit(ctx, {
      account_id: user.account_id,
      action: "code_hosting.hook_run_started",
      target_type: "hook_run",
      target_id: id,
      details: { repositories: targets.length },
    });
    await ctx.queue.enqueue(ctx.db, "set-up-hooks", { run_id: id });
  });
  return await getHookRun(ctx, { runId: id });
}
