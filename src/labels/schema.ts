import { z } from "zod";
import { Id, IdPath, line, NoCursor, queryBoolean, text, Timestamp } from "../core/schema.ts";

/** Labels of a project. */
export const MAX_LABELS = 500;
/** Labels of a ticket. */
export const MAX_TICKET_LABELS = 30;

export const LabelName = line(1, 50);
export const LabelColor = z.string().regex(/^#[0-9a-fA-F]{6}$/, "Expected a color such as #4f8a10")
  .toLowerCase();
export const LabelDescription = text(0, 200);

export const LabelMark = z.object({ id: Id, name: z.string(), color: z.string() });
export type LabelMark = z.infer<typeof LabelMark>;

export const Label = LabelMark.extend({
  project_id: Id,
  description: z.string(),
  open_tickets: z.int().describe("Open tickets that have the label"),
  merged_into: Id.nullable(),
  deleted_at: Timestamp.nullable().describe("A deleted label is listed for the history of tickets only"),
  created_at: Timestamp,
  updated_at: Timestamp,
}).meta({ id: "Label" });
export type Label = z.infer<typeof Label>;

export const CreateLabel = IdPath.extend({
  name: LabelName.describe(
    "Names that differ only in case, width or blanks are the same name",
  ),
  color: LabelColor.optional().describe("When absent: one of twelve colors, by the name"),
  description: LabelDescription.default(""),
});
export type CreateLabel = z.infer<typeof CreateLabel>;

export const LabelPath = z.strictObject({ id: Id, labelId: Id });
export type LabelPath = z.infer<typeof LabelPath>;

export const UpdateLabel = LabelPath.extend({
  name: LabelName.optional(),
  color: LabelColor.optional(),
  description: LabelDescription.optional(),
});
export type UpdateLabel = z.infer<typeof UpdateLabel>;

export const MergeLabel = LabelPath.extend({
  into: Id.describe("The label that its tickets get in its place"),
});
export type MergeLabel = z.infer<typeof MergeLabel>;

export const ListLabels = IdPath.extend({
  deleted: queryBoolean.optional().describe("true: deleted labels too"),
});

export const LabelList = z.object({ labels: z.array(Label), next_cursor: NoCursor });
