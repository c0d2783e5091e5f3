import type { Db } from "../../db/open.ts";
import type { ProjectContext } from "../core/context.ts";
import { literal } from "../core/planner.ts";
import type { Role } from "../core/schema.ts";
import type { WaitingOn } from "./schema.ts";

// Conditions on `tickets t`, for the fields of a list and for the filters in its text.

export const RANKS = { low: 1, medium: 2, high: 3 };

/**
 * Uses `between` instead of `=`. With `=` the planner drops priority from the sort order, sorts by
 * id alone, takes the primary key, and reads every older ticket of all projects.
 */
export function ofPriority(db: Db, priority: keyof typeof RANKS) {
  const rank = RANKS[priority];
  return db`t.priority_rank between ${rank}::smallint and ${rank}::smallint`;
}

export function isWaitingOn({ db }: ProjectContext, waitingOn: WaitingOn) {
  switch (waitingOn) {
    case "person":
      return db`(t.human_questions > 0 or t.stage = 'validation' and ${hasPendingCase(db)})`;
    case "agent":
      return db`t.pending_questions > t.human_questions`;
    case "none":
      return db`t.pending_questions = 0 and (t.stage <> 'validation' or not ${hasPendingCase(db)})`;
  }
}

/** The limit keeps the planner from reading all pending cases into a table of its own. */
function hasPendingCase(db: Db) {
  return db`coalesce((
    select true from test_cases c where c.ticket_id = t.id and c.status = 'pending' limit 1), false)`;
}

/**
 * Writes the role as a literal. A plan for any role would look up a role that half of the tickets
 * have once for each ticket.
 * @param amongFew whether the role is looked up for each of few tickets. The planner takes the waiting
 * tickets for a tenth of what they are, and sometimes compared each with every ticket of the role.
 */
export function ofRole({ db, project }: ProjectContext, role: Role, amongFew = false) {
  return db`exists (select from ticket_roles r
    where r.ticket_id = t.id and r.role = ${literal(db, role)} and r.project_id = ${project.id}::uuid
    ${amongFew ? db`offset 0` : db``})`;
}
