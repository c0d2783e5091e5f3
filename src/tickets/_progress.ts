import type { Db } from "../../db/open.ts";

/**
 * Progress of `tickets t` and who works on it: counts of its tasks and cases, which triggers keep
 * on its row, the earliest claim and the latest agent run. If a ticket has no unfinished task, no
 * claim is looked up.
 */
export function progressColumns(db: Db) {
  return db`
    jsonb_build_object('done', t.tasks_done, 'total', t.tasks_total) as tasks,
    jsonb_build_object('approved', t.cases_approved, 'total', t.cases_total) as cases,
    case when t.tasks_done < t.tasks_total then (select jsonb_build_object('id', u.id, 'name', u.name, 'kind', ${
    kindOfClaim(db)
  }, 'lease_expires_at',
        to_char(k.lease_expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
      from tasks k join users u on u.id = k.assignee_user_id
      where k.ticket_id = t.id and k.status = 'in_progress' order by k.started_at, k.id limit 1) end as claimed_by,
    (select jsonb_build_object('id', r.id, 'agent_id', r.agent_id, 'status', r.status)
      from agent_runs r where r.ticket_id = t.id order by r.id desc limit 1) as agent_run`;
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
