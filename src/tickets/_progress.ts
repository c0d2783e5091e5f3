import type { Db } from "../../db/open.ts";
import type { TicketSummary } from "./schema.ts";

/** The columns that `progressOf` reads. Triggers keep the counts on the ticket's row. */
export interface ProgressRow extends Pick<TicketSummary, "claimed_by" | "agent_run"> {
  tasks_done: number;
  tasks_total: number;
  cases_approved: number;
  cases_total: number;
}

/**
 * Progress of `tickets t` and who works on it: counts of its tasks and cases, the earliest claim
 * and the latest agent run. Only a ticket with an unfinished task can have a claim, and only one
 * with a run a latest one, so that a page seldom reads other tables.
 */
export function progressColumns(db: Db) {
  return db`t.tasks_done, t.tasks_total, t.cases_approved, t.cases_total,
    case when t.tasks_done < t.tasks_total then (select jsonb_build_object('id', u.id, 'name', u.name, 'kind', ${
    kindOfClaim(db)
  }, 'lease_expires_at',
        to_char(k.lease_expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
      from tasks k join users u on u.id = k.assignee_user_id
      where k.ticket_id = t.id and k.status = 'in_progress' order by k.started_at, k.id limit 1) end as claimed_by,
    case when t.agent_runs > 0 then (select jsonb_build_object('id', r.id, 'agent_id', r.agent_id, 'status', r.status)
      from agent_runs r where r.ticket_id = t.id order by r.id desc limit 1) end as agent_run`;
}

export function progressOf(row: ProgressRow): Pick<TicketSummary, "tasks" | "cases"> {
  return {
    tasks: { done: row.tasks_done, total: row.tasks_total },
    cases: { approved: row.cases_approved, total: row.cases_total },
  };
}

/**
 * A person's claim has one of the person's sessions as its session id, because the portal claims
 * so. Any other claim is an agent's.
 */
function kindOfClaim(db: Db) {
  return db`case
    when u.kind = 'bot' then 'agent'
    when k.assignee_session_id is null then 'person'
    when k.assignee_session_id ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
      and exists (select from sessions s where s.id = k.assignee_session_id::uuid) then 'person'
    else 'agent' end`;
}
