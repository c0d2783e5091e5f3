import { z } from "zod";
import { Id, NextCursor, Page, queryInteger, Timestamp } from "../core/schema.ts";
import { TicketId, TicketPath } from "../tickets/schema.ts";

export const SuggestionKind = z.enum(["duplicate", "stale", "close", "role", "split"]);
export type SuggestionKind = z.infer<typeof SuggestionKind>;
const SuggestionStatus = z.enum(["pending", "accepted", "dismissed", "executed", "expired"]);

export const Suggestion = z.object({
  id: Id,
  kind: SuggestionKind,
  status: SuggestionStatus,
  title: z.string(),
  rationale: z.string().describe("The reason, in a sentence"),
  confidence: z.number().min(0).max(1),
  ticket_id: Id.describe("The ticket that accepting changes"),
  evidence: z.record(z.string(), z.unknown()).describe(
    "The facts behind the suggestion; they depend on the kind. The `parts` of an accepted split name the new tickets",
  ),
  created_at: Timestamp,
  decided_at: Timestamp.nullable(),
  decided_by: Id.nullable().describe("null if no person decided"),
}).meta({ id: "Suggestion" });
export type Suggestion = z.infer<typeof Suggestion>;

export const ListSuggestions = z.strictObject({
  id: Id,
  limit: queryInteger(1, 100, 20),
  status: z.enum([...SuggestionStatus.options, "all"]).default("pending"),
  kind: SuggestionKind.optional(),
  ticket_id: TicketId.optional(),
});
export type ListSuggestions = z.infer<typeof ListSuggestions>;

export const SuggestionList = z.object({
  suggestions: z.array(Suggestion),
  count: z.int().describe("Number of suggestions on this page, not of all suggestions"),
});

export const SuggestionPath = z.strictObject({ id: Id, suggestionId: Id });
export type SuggestionPath = z.infer<typeof SuggestionPath>;

export const AcceptSuggestion = SuggestionPath.extend({
  skip_pending_roles: z.boolean().default(false).describe(
    "If accepting closes the ticket, sets unfinished roles to skipped",
  ),
});
export type AcceptSuggestion = z.infer<typeof AcceptSuggestion>;

export const ListDuplicates = TicketPath.extend(Page.shape);
export type ListDuplicates = z.infer<typeof ListDuplicates>;

export const TicketDuplicates = z.object({
  duplicate_of: z.object({ ticket_id: Id, ticket_ref: z.string(), title: z.string() }).nullable(),
  duplicates: z.array(z.object({ ticket_id: Id, ticket_ref: z.string(), title: z.string() })).describe(
    "In the order of their numbers, as far as the caller sees them",
  ),
  next_cursor: NextCursor,
});
export type TicketDuplicates = z.infer<typeof TicketDuplicates>;
