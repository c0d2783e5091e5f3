import type { Db } from "../../db/open.ts";
import type { Context } from "../core/context.ts";

/** The columns of an AgentRun for `agent_runs r`. */
export function runColumns(db: Db) {
  return db`r.id, r.ticket_id, r.project_id, r.agent_id, r.task_ids,
    case when r.status = 'running' and ${
    lastSign(db)
  } < now() - interval '30 minutes' then 'stale' else r.status end as status, r.summary, r.branch_name,
    r.pull_request_url, r.event_at, r.created_by, r.created_at, r.updated_at`;
}

/**
 * When `agent_runs r` was last heard of: an event of its own, or a sign of life of a task that its agent works on. A
 * lease of 15 minutes tells when it was given.
 */
export function lastSign(db: Db) {
  return db`greatest(r.updated_at, (select max(greatest(k.updated_at, k.lease_expires_at - interval '15 minutes')) from tasks k
    where k.ticket_id = r.ticket_id and (k.id = any (r.task_ids) or k.assignee_session_id = r.agent_id)))`;
}

/** An agent's events and its registration go one after the other, so that neither misses the other. */
export async function lockAgent(ctx: Context, agentId: string): Promise<void> {
  await ctx.db`select pg_advisory_xact_lock(hashtextextended('agent ' || ${agentId}, 0))`;
}
