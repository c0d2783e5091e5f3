import type { Db, Fragment } from "../../db/open.ts";

/**
 * Marks the tickets of `page` for a look at their state since their last row there. `page` names a
 * query of rows of the history. A row without a ticket, such as a deploy's, marks none. The marks
 * are written in id order, so that writers who mark the same tickets wait for each other instead of
 * deadlocking.
 */
export function markChanged(db: Db, page: string): Fragment {
  return db`
    insert into analysis_backlog as b (project_id, ticket_id, history_id)
    select project_id, ticket_id, max(id) from ${
    db(page)
  } where ticket_id is not null group by project_id, ticket_id
    order by project_id, ticket_id
    on conflict (project_id, ticket_id) do update set history_id = excluded.history_id
    where b.history_id < excluded.history_id`;
}
