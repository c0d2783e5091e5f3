import type { Db } from "../../db/open.ts";
import type { ProjectContext } from "../core/context.ts";

/** May the caller claim `tasks t`? Pending, given to nobody else, nothing to wait for, its ticket open. */
export function claimable({ db, actor }: ProjectContext) {
  return db`t.status = 'pending' and (t.assignee_user_id is null or t.assignee_user_id = ${actor.user.id}::uuid)
    and not exists (select from tasks d where d.id = any (t.depends_on_task_ids) and d.status not in ('done', 'skipped'))
    and exists (select from tickets k where k.id = t.ticket_id and k.status = 'open')`;
}

/** A claim holds this long from its last sign of life. */
export function lease(db: Db) {
  return db`now() + interval '15 minutes'`;
}

/** What is set when a claim of `tasks t` ends without the work being done: free for anybody, as if never begun. */
export function givenBack(db: Db) {
  return db`status = 'pending', assignee_user_id = null, assignee_session_id = null, lease_expires_at = null,
    started_at = null, actual_minutes = null, version = t.version + 1, updated_at = now()`;
}
