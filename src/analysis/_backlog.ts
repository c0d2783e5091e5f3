import type { Db, Fragment } from "../../db/open.ts";

/**
 * Marks the tickets of some events for a look at their state since their last event there. An event
 * without a ticket, such as a deploy's, marks none. The marks are written in id order, so that
 * writers who mark the same tickets wait for each other instead of deadlocking.
 * @param events a query of `seq`, `project_id` and `ticket_id`
 */
export function markChanged(db: Db, events: Fragment): Fragment {
  return db`
    insert into analysis_backlog as b (project_id, ticket_id, seq)
    select project_id, ticket_id, max(seq) from (${events}) e where ticket_id is not null group by project_id, ticket_id
    order by project_id, ticket_id
    on conflict (project_id, ticket_id) do update set seq = excluded.seq
    where b.seq < excluded.seq`;
}
