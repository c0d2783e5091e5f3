import { z } from "zod";
import { distinct, Id, IdPath, line, NoCursor, queryBoolean, Timestamp } from "../core/schema.ts";

/** Columns of a project, in all its stages. */
export const MAX_COLUMNS = 50;

/** The stages of open tickets. Only these have columns of their own. */
export const OpenStage = z.enum(["backlog", "up_next", "in_progress", "validation"]);
export type OpenStage = z.infer<typeof OpenStage>;

export const ColumnName = line(1, 40);
export const WipLimit = z.int().min(1).max(999).nullable();

export const BoardColumn = z.object({
  id: Id,
  project_id: Id,
  stage: OpenStage,
  name: z.string(),
  wip_limit: z.int().nullable(),
  open_tickets: z.int().describe("Tickets in the column"),
  over_limit: z.boolean().describe("It holds more tickets than its limit, which is never refused"),
  deleted_at: Timestamp.nullable().describe("A deleted column is listed for the history of tickets only"),
  created_at: Timestamp,
  updated_at: Timestamp,
}).meta({ id: "BoardColumn" });
export type BoardColumn = z.infer<typeof BoardColumn>;

export const CreateColumn = IdPath.extend({
  stage: OpenStage,
  name: ColumnName.describe("Names that differ only in case, width or blanks are the same name"),
  wip_limit: WipLimit.default(null),
});
export type CreateColumn = z.infer<typeof CreateColumn>;

export const ColumnPath = z.strictObject({ id: Id, columnId: Id });
export type ColumnPath = z.infer<typeof ColumnPath>;

export const UpdateColumn = ColumnPath.extend({
  name: ColumnName.optional(),
  wip_limit: WipLimit.optional(),
});
export type UpdateColumn = z.infer<typeof UpdateColumn>;

export const ReorderColumns = IdPath.extend({
  stage: OpenStage,
  column_ids: distinct(z.array(Id).max(MAX_COLUMNS), "a column").describe(
    "Every column of the stage, once, in the desired order",
  ),
});
export type ReorderColumns = z.infer<typeof ReorderColumns>;

export const ListColumns = IdPath.extend({
  deleted: queryBoolean.optional().describe("true: deleted columns too"),
});

export const ColumnList = z.object({ columns: z.array(BoardColumn), next_cursor: NoCursor });
