import type { Db } from "../../db/open.ts";
import { recordProjectAudit } from "../core/audit.ts";
import type { ProjectContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { conflictOf } from "../core/failures.ts";
import { recordProjectEvents } from "../core/history.ts";
import type { BoardColumn } from "./schema.ts";

/**
 * The fields of a BoardColumn for `board_columns c`. The tickets that name no column are counted
 * apart, so that each count has its index.
 */
export function columnFields(db: Db) {
  return db`c.id, c.project_id, c.stage, c.name, c.wip_limit, c.deleted_at, c.created_at, c.updated_at, ${
    ticketsIn(db)
  } as open_tickets`;
}

/** The number of tickets in `board_columns c`. */
export function ticketsIn(db: Db) {
  return db`((select count(*) from tickets t where t.column_id = c.id)
    + case when exists (select from board_columns o
        where o.project_id = c.project_id and o.open_stage = c.open_stage and o.id < c.id) then 0
      else (select count(*) from tickets t
        where t.project_id = c.project_id and t.stage = c.open_stage and t.column_id is null) end)::integer`;
}

export function columnOfRow(row: Omit<BoardColumn, "over_limit">): BoardColumn {
  return { ...row, over_limit: row.wip_limit !== null && row.open_tickets > row.wip_limit };
}

export function noSuchColumn(): AppError {
  return new AppError("not_found", "No such column in this project");
}

/** Turns a name that the stage has already into a conflict; returns any other error as it is. */
export function columnConflict(error: unknown): unknown {
  return conflictOf(error, { board_columns_name_key: "Another column of the stage has this name" });
}

/** The action of each act in an event. */
const EVENTS = { created: "created", updated: "changed", deleted: "deleted" } as const;

/** Records an act on a column for admins, and as an event. */
export async function recordColumn(
  ctx: ProjectContext,
  act: keyof typeof EVENTS,
  columnId: string,
  details: Record<string, unknown> = {},
): Promise<void> {
  await recordProjectAudit(ctx, {
    action: `column.${act}`,
    target_type: "column",
    target_id: columnId,
    details,
  });
  await recordProjectEvents(ctx, { entity: "column", ids: [columnId], action: EVENTS[act] });
}
