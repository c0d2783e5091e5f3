import type { Db } from "../../db/open.ts";
import { recordProjectAudit } from "../core/audit.ts";
import type { ProjectContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { conflictOf } from "../core/failures.ts";
import { recordProjectEvents } from "../core/history.ts";

/** The columns of a Milestone for `milestones m`. */
export function milestoneColumns(db: Db) {
  return db`${summaryColumns(db)}, m.description`;
}

/** The columns of a MilestoneSummary for `milestones m`. */
export function summaryColumns(db: Db) {
  return db`m.id, m.project_id, m.name, m.due_on, m.state, m.created_at, m.updated_at,
    (select count(*)::integer from tickets t where t.milestone_id = m.id and t.status = 'open') as open_tickets,
    (select count(*)::integer from tickets t where t.milestone_id = m.id and t.status = 'closed') as closed_tickets`;
}

export function noSuchMilestone(): AppError {
  return new AppError("not_found", "No such milestone in this project");
}

/** Turns a name that the project has already into a conflict; returns any other error as it is. */
export function milestoneConflict(error: unknown): unknown {
  return conflictOf(error, { milestones_name_key: "Another milestone of the project has this name" });
}

/** The action of each act in an event. */
const EVENTS = { created: "created", updated: "changed", deleted: "deleted" } as const;

/** Records an act on a milestone for admins, and as an event. */
export async function recordMilestone(
  ctx: ProjectContext,
  act: keyof typeof EVENTS,
  milestoneId: string,
  details: Record<string, unknown> = {},
): Promise<void> {
  await recordProjectAudit(ctx, {
    action: `milestone.${act}`,
    target_type: "milestone",
    target_id: milestoneId,
    details,
  });
  await recordProjectEvents(ctx, { entity: "milestone", ids: [milestoneId], action: EVENTS[act] });
}
