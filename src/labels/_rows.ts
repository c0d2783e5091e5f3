import type { Db } from "../../db/open.ts";
import { AppError } from "../core/errors.ts";
import { conflictOf } from "../core/failures.ts";

/** The columns of a Label for `labels l`. */
export function labelColumns(db: Db) {
  return db`l.id, l.project_id, l.name, l.color, l.description, l.merged_into, l.deleted_at, l.created_at, l.updated_at,
    (select count(*)::integer from tickets t where t.project_id = l.project_id and t.label_ids @> array[l.id]
      and t.label_ids <> '{}' and t.status = 'open') as open_tickets`;
}

export function noSuchLabel(): AppError {
  return new AppError("not_found", "No such label in this project");
}

/** Turns a name that the project has already into a conflict; returns any other error as it is. */
export function labelConflict(error: unknown): unknown {
  return conflictOf(error, { labels_name_key: "Another label of the project has this name" });
}
