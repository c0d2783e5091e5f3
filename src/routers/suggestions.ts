import { getAnalysis } from "../analysis/get.ts";
import { requestAnalysis } from "../analysis/request.ts";
import { Analysis } from "../analysis/schema.ts";
import { IdPath } from "../core/schema.ts";
import { acceptSuggestion } from "../suggestions/accept.ts";
import { dismissSuggestion } from "../suggestions/dismiss.ts";
import { getTicketDuplicates } from "../suggestions/get_ticket_duplicates.ts";
import { listSuggestions } from "../suggestions/list.ts";
import {
  AcceptSuggestion,
  ListDuplicates,
  ListSuggestions,
  Suggestion,
  SuggestionList,
  SuggestionPath,
  TicketDuplicates,
} from "../suggestions/schema.ts";
import { undoSuggestion } from "../suggestions/undo.ts";
import { GATE_CODES } from "../tickets/gates.ts";
import { projectProcedure, router } from "./trpc.ts";

const read = { access: "viewer", scope: "suggestions:read", tag: "Suggestions" } as const;
const write = { access: "member", scope: "suggestions:write", tag: "Suggestions" } as const;

export const suggestionsRouter = router({
  list: projectProcedure({
    ...read,
    method: "GET",
    path: "/projects/{id}/ai-suggestions",
    summary: "List AI suggestions",
    description:
      "Pending suggestions come in order of confidence, the others newest first. Merged tickets that were closed " +
      "automatically are listed as executed after the next analysis.",
  }).input(ListSuggestions).output(SuggestionList).query(({ ctx, input }) => listSuggestions(ctx, input)),

  accept: projectProcedure({
    ...write,
    method: "POST",
    path: "/projects/{id}/ai-suggestions/{suggestionId}/accept",
    summary: "Accept a suggestion",
    description:
      "Carries the suggestion out, with the same gates as any other call; only the bulk call can skip unapproved " +
      "test cases. A duplicate is closed as a duplicate and linked to the other ticket. A split names the new " +
      "tickets in `evidence.parts` by `ticket_id` and `ticket_ref`, until it is undone.",
    errors: ["not_found", "invalid_transition", "conflict", "ticket_blocked", ...GATE_CODES],
    example: { input: { skip_pending_roles: false } },
  }).input(AcceptSuggestion).output(Suggestion).mutation(({ ctx, input }) => acceptSuggestion(ctx, input)),

  dismiss: projectProcedure({
    ...write,
    method: "POST",
    path: "/projects/{id}/ai-suggestions/{suggestionId}/dismiss",
    summary: "Dismiss a suggestion",
    description: "The same suggestion is not made again while its facts stay the same.",
    errors: ["not_found", "invalid_transition"],
  }).input(SuggestionPath).output(Suggestion).mutation(({ ctx, input }) => dismissSuggestion(ctx, input)),

  undo: projectProcedure({
    ...write,
    method: "POST",
    path: "/projects/{id}/ai-suggestions/{suggestionId}/undo",
    summary: "Undo a decision",
    description:
      "Puts the ticket back as it was before. An executed suggestion counts as dismissed then, any other is " +
      "pending again. Neither a dismissal nor a split can be undone once the ticket is closed.",
    errors: ["not_found", "invalid_transition", "conflict", "ticket_blocked", ...GATE_CODES],
  }).input(SuggestionPath).output(Suggestion).mutation(({ ctx, input }) => undoSuggestion(ctx, input)),

  analysis: projectProcedure({
    ...read,
    method: "GET",
    path: "/projects/{id}/ai-suggestions/analysis",
    summary: "See the progress of the analysis",
  }).input(IdPath).output(Analysis).query(({ ctx }) => getAnalysis(ctx)),

  analyze: projectProcedure({
    ...write,
    method: "POST",
    path: "/projects/{id}/ai-suggestions/analysis",
    status: 202,
    summary: "Analyze every open ticket now",
    description:
      "Tickets that were just closed automatically are analyzed too. Without this call, changed tickets are " +
      "analyzed every few minutes and all tickets every night.",
  }).input(IdPath).output(Analysis).mutation(({ ctx }) => requestAnalysis(ctx)),

  duplicates: projectProcedure({
    ...read,
    scope: "tickets:read",
    method: "GET",
    path: "/projects/{id}/tickets/{ticketId}/duplicates",
    summary: "Show what a ticket is a duplicate of, and its duplicates",
    errors: ["not_found"],
  }).input(ListDuplicates).output(TicketDuplicates).query(({ ctx, input }) =>
    getTicketDuplicates(ctx, input)
  ),
});
