import type { Db } from "../../db/open.ts";
import { recordProjectAudit } from "../core/audit.ts";
import type { ProjectContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { conflictOf } from "../core/failures.ts";

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

export async function auditMilestone(
  ctx: ProjectContext,
  act: "created" | "updated" | "deleted",
  milestoneId: string,
  details: Record<string, unknown> = {},
): Promise<void> {
  await recordProjectAudit(ctx, {
    action: `milestone.${act}`,
    target_type: "milestone",
    target_id: milestoneId,
    details,
  });
}
