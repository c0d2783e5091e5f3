import type { Db } from "../../db/open.ts";
import { recordProjectAudit } from "../core/audit.ts";
import type { ProjectContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { conflictOf } from "../core/failures.ts";
import { recordProjectEvents } from "../core/history.ts";

/** The columns of a Label for `labels l`. */
export function labelColumns(db: Db) {
  return db`l.id, l.project_id, l.name, l.color, l.description, l.merged_into, l.deleted_at, l.created_at, l.updated_at,
    (select count(*)::integer from tickets t where t.project_id = l.project_id and t.labels @> array[l.id]
      and t.status = 'open') as open_tickets`;
}

export function noSuchLabel(): AppError {
  return new AppError("not_found", "No such label in this project");
}

/** Turns a name that the project has already into a conflict; returns any other error as it is. */
export function labelConflict(error: unknown): unknown {
  return conflictOf(error, { labels_name_key: "Another label of the project has this name" });
}

/** The action of each act in an event. */
const EVENTS = { created: "created", updated: "changed", merged: "deleted", deleted: "deleted" } as const;

/** Records an act on a label for admins, and as an event. */
export async function recordLabel(
  ctx: ProjectContext,
  act: keyof typeof EVENTS,
  labelId: string,
  details: Record<string, unknown> = {},
): Promise<void> {
  await recordProjectAudit(ctx, {
    action: `label.${act}`,
    target_type: "label",
    target_id: labelId,
    details,
  });
  await recordProjectEvents(ctx, { entity: "label", ids: [labelId], action: EVENTS[act] });
}
