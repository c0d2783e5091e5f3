import { z } from "zod";
import { Day, Id, IdPath, line, NoCursor, text, Timestamp } from "../core/schema.ts";

export const MAX_MILESTONES = 500;

export const MilestoneName = line(1, 100);
export const MilestoneDescription = text(0, 5000);
export const MilestoneState = z.enum(["open", "closed"]);

/** A milestone as lists show it, without its long text. */
export const MilestoneSummary = z.object({
  id: Id,
  project_id: Id,
  name: z.string(),
  due_on: Day.nullable(),
  state: MilestoneState,
  open_tickets: z.int(),
  closed_tickets: z.int(),
  created_at: Timestamp,
  updated_at: Timestamp,
}).meta({ id: "MilestoneSummary" });
export type MilestoneSummary = z.infer<typeof MilestoneSummary>;

export const Milestone = MilestoneSummary.extend({ description: z.string() }).meta({ id: "Milestone" });
export type Milestone = z.infer<typeof Milestone>;

export const CreateMilestone = IdPath.extend({
  name: MilestoneName,
  description: MilestoneDescription.default(""),
  due_on: Day.nullable().default(null),
});
export type CreateMilestone = z.infer<typeof CreateMilestone>;

export const MilestonePath = z.strictObject({ id: Id, milestoneId: Id });
export type MilestonePath = z.infer<typeof MilestonePath>;

export const UpdateMilestone = MilestonePath.extend({
  name: MilestoneName.optional(),
  description: MilestoneDescription.optional(),
  due_on: Day.nullable().optional(),
  state: MilestoneState.optional(),
});
export type UpdateMilestone = z.infer<typeof UpdateMilestone>;

export const MilestoneList = z.object({ milestones: z.array(MilestoneSummary), next_cursor: NoCursor });
