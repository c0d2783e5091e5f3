import type { Db, Fragment } from "../../db/open.ts";

/**
 * Marks the tickets of `page`, a query's name for rows of the history, to be looked at as they are since their last one
 * there. A row of no ticket, such as a deploy's, marks none. In id order, so that of several who mark the same tickets one waits for the other.
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
