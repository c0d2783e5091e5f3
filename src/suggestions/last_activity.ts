import type { Db } from "../../db/open.ts";

/** Expression for the time of the last change to anything that belongs to `tickets t`. */
export function lastActivity(db: Db) {
  return db`(select greatest(t.updated_at, max(h.created_at)) from (
    select created_at from history where ticket_id = t.id order by id desc limit 1) h)`;
}
