import { requirePerson } from "../core/access.ts";
import type { ProjectContext } from "../core/context.ts";
import { transact } from "../core/transact.ts";
import { RELEASED } from "../assignments/released_columns.ts";
import { newVersion } from "../core/if_match.ts";
import { lockTicket } from "../tickets/lock.ts";
import { getAgentRun } from "./get_run.ts";
import type { AgentRun, RunPath } from "./schema.ts";

/**
 * Ends a run that will not go on, and releases the tasks that its agent holds. A run that has ended
 * stays as it is.
 * @throws {AppError} forbidden for bot clients
 */
export async function endAgentRun(ctx: ProjectContext, input: RunPath): Promise<AgentRun> {
  requirePerson(ctx.actor, "Only a person may end an agent's run");
  return await transact(ctx, async (ctx) => {
    const { db } = ctx;
    const [, run] = await Promise.all([lockTicket(ctx, input.ticketId), getAgentRun(ctx, input)]);
    if (run.status !== "running" && run.status !== "stale") return run;
    await db`update agent_runs set status = 'ended', updated_at = clock_timestamp() where id = ${run.id}::uuid`;
    await db`
      update tasks t set ${db(RELEASED)}, ${newVersion(db, "t")}
      where t.ticket_id = ${input.ticketId}::uuid and t.status = 'in_progress'
        and (t.id = any (${run.task_ids}::uuid[]) or t.assignee_session_id = ${run.agent_id})`;
    return await getAgentRun(ctx, input);
  });
}
