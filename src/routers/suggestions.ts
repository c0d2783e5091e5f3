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
  ListSuggestions,
  Suggestion,
  SuggestionList,
  SuggestionPath,
  TicketDuplicates,
} from "../suggestions/schema.ts";
import { undoSuggestion } from "../suggestions/undo.ts";
import { TicketPath } from "../tickets/schema.ts";
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
      "What is pending comes surest first, anything else newest first. Closings of merged tickets that happened " +
      "by themselves are listed as executed, once an analysis has come by.",
  }).input(ListSuggestions).output(SuggestionList).query(({ ctx, input }) => listSuggestions(ctx, input)),

  accept: projectProcedure({
    ...write,
    method: "POST",
    path: "/projects/{id}/ai-suggestions/{suggestionId}/accept",
    summary: "Do what is suggested",
    description:
      "Past the same gates as anyone; unapproved test cases can be skipped in the bulk call alone. A duplicate is closed " +
      "as such and linked to the other ticket. A split names the new tickets in `evidence.parts` by `ticket_id` and " +
      "`ticket_ref`, until it is undone.",
    errors: ["not_found", "invalid_transition", "conflict", "roles_incomplete", "human_tests_pending"],
    example: { input: { skip_pending_roles: false } },
  }).input(AcceptSuggestion).output(Suggestion).mutation(({ ctx, input }) => acceptSuggestion(ctx, input)),

  dismiss: projectProcedure({
    ...write,
    method: "POST",
    path: "/projects/{id}/ai-suggestions/{suggestionId}/dismiss",
    summary: "Dismiss a suggestion",
    description: "It is not suggested again while its facts are the same.",
    errors: ["not_found", "invalid_transition"],
  }).input(SuggestionPath).output(Suggestion).mutation(({ ctx, input }) => dismissSuggestion(ctx, input)),

  undo: projectProcedure({
    ...write,
    method: "POST",
    path: "/projects/{id}/ai-suggestions/{suggestionId}/undo",
    summary: "Take a decision back",
    description:
      "The ticket is as it was before. What had been executed counts as dismissed then, anything else is pending. " +
      "Neither a dismissal nor a split is taken back once the ticket is closed.",
    errors: ["not_found", "invalid_transition", "conflict", "human_tests_pending"],
  }).input(SuggestionPath).output(Suggestion).mutation(({ ctx, input }) => undoSuggestion(ctx, input)),

  analysis: projectProcedure({
    ...read,
    method: "GET",
    path: "/projects/{id}/ai-suggestions/analysis",
    summary: "How far the analysis is",
  }).input(IdPath).output(Analysis).query(({ ctx }) => getAnalysis(ctx)),

  analyze: projectProcedure({
    ...write,
    method: "POST",
    path: "/projects/{id}/ai-suggestions/analysis",
    status: 202,
    summary: "Analyze every open ticket now",
    description:
      "Tickets that have just closed by themselves are looked at too. Changed tickets are analyzed every few minutes and " +
      "all of them every night without being asked for.",
  }).input(IdPath).output(Analysis).mutation(({ ctx }) => requestAnalysis(ctx)),

  duplicates: projectProcedure({
    ...read,
    scope: "tickets:read",
    method: "GET",
    path: "/projects/{id}/tickets/{ticketId}/duplicates",
    summary: "What a ticket is a duplicate of, and its duplicates",
    errors: ["not_found"],
  }).input(TicketPath).output(TicketDuplicates).query(({ ctx, input }) => getTicketDuplicates(ctx, input)),
});
