import type { Db } from "../../db/open.ts";
import type { Context } from "../core/context.ts";

/** The columns of an AgentRun for `agent_runs r`. */
export function runColumns(db: Db) {
  return db`r.id, r.ticket_id, r.project_id, r.agent_id, r.task_ids,
    case when r.status = 'running' and last_sign(r) < now() - interval '30 minutes' then 'stale' else r.status end as status, r.summary, r.branch_name,
    r.pull_request_url, r.event_at, r.created_by, r.created_at, r.updated_at`;
}

/**
 * Lets an agent's events and its registration run one after the other, so that neither misses the
 * other.
 */
export async function lockAgent(ctx: Context, agentId: string): Promise<void> {
  await ctx.db`select pg_advisory_xact_lock(hashtextextended('agent ' || ${agentId}, 0))`;
}
