import type { Db } from "../../db/open.ts";
import type { Role } from "../core/schema.ts";

/**
 * Tells whether `tickets k` is work that somebody handed over without tasks and that may begin: it
 * is open and before validation, and waits for no person's answer and no other ticket.
 */
export function isReadyWithoutTasks(db: Db, role: Role | undefined) {
  const ofRole = role === undefined ? db`` : db`and exists (select from ticket_roles r
    where r.ticket_id = k.id and r.role = ${role} and r.status in ('pending', 'in_progress'))`;
  return db`(k.status = 'open' and k.tasks_total = 0 and k.stage in ('backlog', 'up_next', 'in_progress')
    and k.human_questions = 0 and k.open_blockers = 0 ${ofRole})`;
}
