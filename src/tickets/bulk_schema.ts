import { z } from "zod";
import { Id } from "../core/schema.ts";
import { ResolutionNote, ResolutionType, Stage, Status } from "./schema.ts";

/** Distinct ids in one bulk call. */
const MAX_BULK = 100;
/** Includes repeated ids. The ids of a longer list are not checked one by one. */
const MAX_NAMED = 1000;

export const BulkTickets = z.strictObject({
  id: Id,
  action: z.enum(["move", "close"]),
  ticket_ids: z.array(Id).min(1, "Must name at least one ticket").max(
    MAX_NAMED,
    `Must have at most ${MAX_NAMED} ids`,
  ).refine(
    (ids) => new Set(ids).size <= MAX_BULK,
    `Must name at most ${MAX_BULK} tickets`,
  ).meta({
    override: { type: "array", items: { type: "string", format: "uuid" }, minItems: 1, maxItems: MAX_NAMED },
  }).describe(
    `1 to ${MAX_BULK} different tickets; one named twice counts once`,
  ),
  stage: Stage.optional().describe("Required for move; a close goes to live"),
  skip_pending_roles: z.boolean().default(false).describe("Sets unfinished roles to skipped when closing"),
  skip_human_test_gate: z.boolean().default(false).describe("For admins who are no bot clients"),
  resolution_note: ResolutionNote.optional().describe("Of a closing; a move to another stage leaves it out"),
  resolution_type: ResolutionType.optional().describe("The same; completed when absent"),
  dry_run: z.boolean().default(false).describe("Answers the same and changes nothing"),
});
export type BulkTickets = z.infer<typeof BulkTickets>;

export const BulkResult = z.object({
  updated: z.int().describe(
    "Tickets that stand where they were asked to, those that stood there before included",
  ),
  errors: z.array(z.object({ id: Id, error: z.string(), code: z.string() })),
  results: z.array(z.object({
    id: Id,
    ticket_ref: z.string().nullable().describe("null for a ticket that is not in this project"),
    ok: z.boolean(),
    stage: Stage.nullable(),
    status: Status.nullable(),
  })).describe("One for each different id, in the order of the request"),
}).meta({ id: "BulkResult" });
export type BulkResult = z.infer<typeof BulkResult>;
