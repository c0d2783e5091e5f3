import { z } from "zod";
import { Id, text } from "../core/schema.ts";
import {
  DuplicateOf,
  ID_OR_REF,
  LabelNames,
  MAX_NAMED,
  MAX_SEARCH_TEXT,
  Plan,
  Priority,
  ResolutionNote,
  ResolutionType,
  Stage,
  Status,
  TicketName,
  UnfinishedTasks,
} from "./schema.ts";

/** The fields that a bulk call can set. null clears one. */
const BulkSet = z.strictObject({
  priority: Priority.optional(),
  blocking: z.boolean().optional(),
  assignee_user_id: Plan.assignee_user_id,
  add_labels: LabelNames.optional(),
  remove_labels: LabelNames.optional(),
  due_on: Plan.due_on,
  milestone_id: Plan.milestone_id,
  column_id: Plan.column_id,
  parent_id: Plan.parent_id,
});

/** Distinct ids in one bulk call. */
const MAX_BULK = 100;
/** The greatest number that the column of versions holds. */
const MAX_VERSION = 2_147_483_647;

export const BulkTickets = z.strictObject({
  id: Id,
  action: z.enum(["move", "close", "change"]),
  ticket_ids: z.array(TicketName).min(1, "Must name at least one ticket").max(
    MAX_NAMED,
    `Must have at most ${MAX_NAMED} ids`,
  ).refine(
    (ids) => new Set(ids).size <= MAX_BULK,
    `Must name at most ${MAX_BULK} tickets`,
  ).meta({
    override: {
      type: "array",
      items: { type: "string", ...ID_OR_REF },
      minItems: 1,
      maxItems: MAX_NAMED,
    },
  }).optional().describe(
    `1 to ${MAX_BULK} different tickets, by id or by a ref such as HO-12; one named twice counts once. ` +
      "Required unless a query finds the tickets of a change",
  ),
  query: text(1, MAX_SEARCH_TEXT).optional().describe(
    "In place of ticket_ids, for a change: words and filters, as `q` of the list. An unknown value of a filter is " +
      `refused; it may find at most ${MAX_NAMED} tickets`,
  ),
  set: BulkSet.optional().describe("Required for a change, with at least one field"),
  stage: Stage.optional().describe("Required for a move; a close always goes to live"),
  skip_pending_roles: z.boolean().default(false).describe("When closing, sets unfinished roles to skipped"),
  skip_human_test_gate: z.boolean().default(false).describe("Only for admins who are not bot clients"),
  skip_open_children: z.boolean().default(false).describe(
    "Closes parents before their children; only for people",
  ),
  resolution_note: ResolutionNote.optional().describe(
    "Note on the closing; ignored by a move to another stage",
  ),
  resolution_type: ResolutionType.optional().describe(
    "How the tickets were resolved; ignored by a move to another stage. When absent: completed",
  ),
  duplicate_of: DuplicateOf,
  versions: z.record(Id, z.int().min(1).max(MAX_VERSION)).refine(
    (versions) => Object.keys(versions).length <= MAX_NAMED,
    `Must name at most ${MAX_NAMED} tickets`,
  ).meta({ maxProperties: MAX_NAMED }).optional().describe(
    "Expected versions by the ids of tickets. A ticket that has another one stays as it is, with version_conflict, " +
      "and a ticket that is not named here is changed whatever its version is. With the versions of an earlier " +
      "answer, a call undoes its change and keeps what others have changed since",
  ),
  dry_run: z.boolean().default(false).describe("Returns the same answer, but changes nothing"),
});
export type BulkTickets = z.infer<typeof BulkTickets>;

const NamedId = z.string().describe(
  "The ticket's id, or the ref as sent if it names no ticket of the project",
);

export const BulkResult = z.object({
  over_limit: z.array(Id).optional().describe(
    "Only when the call put tickets into such columns: those that hold more tickets than their limit",
  ),
  updated: z.int().describe(
    "Tickets that are now as requested, including tickets that were so before",
  ),
  errors: z.array(z.object({ id: NamedId, error: z.string(), code: z.string() })),
  results: z.array(z.object({
    id: NamedId,
    ticket_ref: z.string().nullable().describe("null for a ticket that is not in this project"),
    ok: z.boolean(),
    stage: Stage.nullable(),
    status: Status.nullable(),
    version: z.int().nullable().describe(
      "The ticket's version after the call; null for a ticket that is not in this project",
    ),
    unfinished_tasks: UnfinishedTasks,
  })).describe("One result for each different id, in the order of the request"),
}).meta({ id: "BulkResult" });
export type BulkResult = z.infer<typeof BulkResult>;
