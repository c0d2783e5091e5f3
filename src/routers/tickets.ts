import { bulkTickets } from "../tickets/bulk.ts";
import { BulkResult, BulkTickets } from "../tickets/bulk_schema.ts";
import { changeRole } from "../tickets/change_role.ts";
import { countTickets } from "../tickets/count.ts";
import { createTicket } from "../tickets/create.ts";
import { findSimilarTickets } from "../tickets/find_similar.ts";
import { GATE_CODES } from "../tickets/gates.ts";
import { getTicket } from "../tickets/get.ts";
import { HistoryPage, ListHistory } from "../tickets/history_schema.ts";
import { listTicketNews } from "../news/list_ticket.ts";
import { ListTicketNews, TicketNews } from "../news/schema.ts";
import { listGroups } from "../tickets/list_groups.ts";
import { listTickets } from "../tickets/list.ts";
import { listHistory } from "../tickets/list_history.ts";
import {
  CountTickets,
  CreatedTicket,
  CreateTicket,
  FindSimilar,
  ListGroups,
  ListTickets,
  MAX_CHANGE_BYTES,
  PlaceTicket,
  RolePath,
  SimilarTickets,
  Ticket,
  TicketCounts,
  TicketGroups,
  TicketList,
  TicketPath,
  UpdatedTicket,
  UpdateTicket,
} from "../tickets/schema.ts";
import { placeTicket } from "../tickets/place.ts";
import { updateTicket } from "../tickets/update.ts";
import { fields } from "./conditions.ts";
import { projectProcedure, REPEATED, router } from "./trpc.ts";

const read = { access: "viewer", scope: "tickets:read", tag: "Tickets" } as const;
const write = { access: "member", scope: "tickets:write", tag: "Tickets" } as const;

const draft = {
  title: "Upload fails for files over 2 GB",
  description: "The upload stops at 2,147,483,647 bytes and the browser shows a network error.",
};

/** The meta of the four changes of a ticket's role. */
function roleChange(action: string, summary: string) {
  return {
    ...write,
    method: "POST",
    path: `/projects/{id}/tickets/{ticketId}/roles/{role}/${action}`,
    summary,
    description:
      "A role that has the new status already stays as it is. Honours If-Match with the ticket's ETag.",
    errors: ["not_found", "invalid_transition", "conflict", "version_conflict"],
  } as const;
}

export const ticketsRouter = router({
  create: projectProcedure({
    ...write,
    method: "POST",
    path: "/projects/{id}/tickets",
    summary: "Create a handoff ticket",
    description: `${REPEATED} \`similar_existing\` is a hint; the ticket is created regardless.`,
    errors: ["conflict"],
    statusOf: (created: CreatedTicket) => created._idempotent_replay ? 200 : 201,
    location: (created: CreatedTicket, input: CreateTicket) =>
      `/projects/${input.id}/tickets/${created.ticket.id}`,
    example: {
      input: { ...draft, request_type: "bug", priority: "high", blocking: true, roles: ["backend"] },
    },
  }).input(CreateTicket).output(CreatedTicket).mutation(({ ctx, input }) => createTicket(ctx, input)),

  list: projectProcedure({
    ...read,
    method: "GET",
    path: "/projects/{id}/tickets",
    summary: "List tickets",
    description: "The list leaves out the long texts; get a ticket to read them.",
  }).input(ListTickets).output(TicketList).query(({ ctx, input }) => listTickets(ctx, input)),

  count: projectProcedure({
    ...read,
    method: "GET",
    path: "/projects/{id}/tickets/counts",
    summary: "Count the tickets in each open stage",
    description:
      "Takes the filters of the list. Live tickets are not counted, because they are all the work that was ever done.",
    example: { output: { stages: { backlog: 12, up_next: 4, in_progress: 3, validation: 0 } } },
  }).input(CountTickets).output(TicketCounts).query(({ ctx, input }) => countTickets(ctx, input)),

  groups: projectProcedure({
    ...read,
    method: "GET",
    path: "/projects/{id}/tickets/groups",
    summary: "List the groups into which a field puts the tickets",
    description:
      "Takes the filters of the list, and a ticket with two labels is in two groups. The list of tickets takes " +
      "`group_by` and `group` for the tickets of one group.",
    example: {
      input: { by: "priority" },
      output: {
        groups: [{ value: "high", name: null, ref: null, color: null, count: 12 }],
        left_out: 0,
      },
    },
  }).input(ListGroups).output(TicketGroups).query(({ ctx, input }) => listGroups(ctx, input)),

  get: projectProcedure({
    ...read,
    method: "GET",
    path: "/projects/{id}/tickets/{ticketId}",
    summary: "Get a ticket",
    errors: ["not_found"],
  }).input(TicketPath).output(Ticket).query(({ ctx, input }) => getTicket(ctx, input)),

  update: projectProcedure({
    ...write,
    method: "PATCH",
    path: "/projects/{id}/tickets/{ticketId}",
    maxBytes: MAX_CHANGE_BYTES,
    summary: "Change a ticket",
    description:
      "Changes only the fields that are sent; null clears an optional one. Moving to live, or status closed, " +
      "passes the same gates as the bulk call, but can't skip them. Honours If-Match with the ticket's ETag.",
    errors: ["not_found", ...GATE_CODES, "ticket_blocked", "conflict", "version_conflict"],
    conditions: {
      if: fields({ status: { const: "closed" }, stage: {} }, ["status", "stage"]),
      then: fields({ stage: { const: "live" } }),
      else: {
        if: fields({ status: {}, stage: {} }, ["status", "stage"]),
        then: fields({ stage: { not: { const: "live" } } }),
      },
    },
    example: { input: { stage: "validation", priority: "high" } },
  }).input(UpdateTicket).output(UpdatedTicket).mutation(({ ctx, input }) => updateTicket(ctx, input)),

  place: projectProcedure({
    ...write,
    method: "POST",
    path: "/projects/{id}/tickets/{ticketId}/place",
    summary: "Put a ticket before or after another one, or into another column or stage",
    description:
      "All tickets of a project are in one order, which the list shows with the sort `rank`. Another stage " +
      "passes the same gates as a change of the ticket. Honours If-Match with the ticket's ETag.",
    errors: ["not_found", ...GATE_CODES, "ticket_blocked", "conflict", "version_conflict"],
    conditions: {
      if: fields({ before: {} }, ["before"]),
      then: fields({ after: { not: {} } }),
      else: {
        if: fields({ after: {} }, ["after"]),
        else: { minProperties: 1 },
      },
    },
    example: { input: { before: "HO-12" } },
  }).input(PlaceTicket).output(UpdatedTicket).mutation(({ ctx, input }) => placeTicket(ctx, input)),

  similar: projectProcedure({
    ...read,
    method: "POST",
    path: "/projects/{id}/tickets/similar",
    summary: "Find similar open tickets without creating one",
    errors: ["not_configured", "unavailable"],
    example: { input: draft },
  }).input(FindSimilar).output(SimilarTickets).query(({ ctx, input }) => findSimilarTickets(ctx, input)),

  bulk: projectProcedure({
    ...write,
    method: "POST",
    path: "/projects/{id}/tickets/bulk",
    summary: "Move, close or change many tickets",
    description:
      "Each ticket is decided on its own, so that `updated` and `errors` add up to the number of different ids. " +
      "A ticket that is as requested already counts as updated and stays as it is. The action `change` sets fields, " +
      "of the tickets that are named or that a query finds. A value that no ticket may have refuses the whole call.",
    conditions: {
      if: fields({ action: { const: "change" } }, ["action"]),
      then: {
        ...fields({ set: { minProperties: 1 } }, ["set"]),
        if: fields({ ticket_ids: {} }, ["ticket_ids"]),
        then: fields({ query: { not: {} } }),
        else: fields({ query: {} }, ["query"]),
      },
      else: {
        ...fields({ set: { not: {} }, query: { not: {} }, ticket_ids: {} }, ["ticket_ids"]),
        if: fields({ action: { const: "move" } }),
        then: fields({ stage: {} }, ["stage"]),
        else: fields({ stage: { const: "live" } }),
      },
    },
    example: {
      input: { action: "move", ticket_ids: ["0190d3c1-6c7a-7bd1-a0f5-6d1f3c2b9e10"], stage: "validation" },
    },
  }).input(BulkTickets).output(BulkResult).mutation(({ ctx, input }) => bulkTickets(ctx, input)),

  startRole: projectProcedure(roleChange("start", "Start a role of a ticket"))
    .input(RolePath).output(Ticket).mutation(({ ctx, input }) => changeRole(ctx, input, "start")),

  finishRole: projectProcedure(roleChange("finish", "Finish a role of a ticket"))
    .input(RolePath).output(Ticket).mutation(({ ctx, input }) => changeRole(ctx, input, "finish")),

  skipRole: projectProcedure(roleChange("skip", "Skip a role of a ticket"))
    .input(RolePath).output(Ticket).mutation(({ ctx, input }) => changeRole(ctx, input, "skip")),

  reopenRole: projectProcedure(roleChange("reopen", "Reopen a role of a ticket"))
    .input(RolePath).output(Ticket).mutation(({ ctx, input }) => changeRole(ctx, input, "reopen")),

  history: projectProcedure({
    ...read,
    method: "GET",
    path: "/projects/{id}/tickets/{ticketId}/history",
    summary: "List every change of a ticket",
    description:
      "Lists changes of the ticket itself and of its roles, tasks, test cases and links: who, when, and the " +
      "value before and after.",
    errors: ["not_found"],
  }).input(ListHistory).output(HistoryPage).query(({ ctx, input }) => listHistory(ctx, input)),

  news: projectProcedure({
    ...read,
    method: "GET",
    path: "/projects/{id}/tickets/{ticketId}/news",
    summary: "List what others did on a ticket",
    description:
      "Gets at most the ten latest items, oldest first. What the caller's own credential did is left out. An API key " +
      "is another credential than its owner's session.",
    errors: ["not_found"],
  }).input(ListTicketNews).output(TicketNews).query(({ ctx, input }) => listTicketNews(ctx, input)),
});
