import { createTicket } from "../tickets/create.ts";
import { getTicket } from "../tickets/get.ts";
import { listTickets } from "../tickets/list.ts";
import {
  CreatedTicket,
  CreateTicket,
  FindSimilar,
  ListTickets,
  SimilarTickets,
  Ticket,
  TicketList,
  TicketPathOrRef,
  UpdateTicket,
} from "../tickets/schema.ts";
import { findSimilarTickets } from "../tickets/similar.ts";
import { updateTicket } from "../tickets/update.ts";
import { projectProcedure, router } from "./trpc.ts";

const read = { access: "viewer", scope: "tickets:read", tag: "Tickets" } as const;
const write = { access: "member", scope: "tickets:write", tag: "Tickets" } as const;

const draft = {
  title: "Upload fails for files over 2 GB",
  description: "The upload stops at 2,147,483,647 bytes and the browser shows a network error.",
};

export const ticketsRouter = router({
  create: projectProcedure({
    ...write,
    method: "POST",
    path: "/projects/{id}/tickets",
    summary: "Create a handoff ticket",
    description:
      "With an idempotency key (body field or Idempotency-Key header) the ticket is created once: a repeat answers 200 with " +
      "the stored response and `_idempotent_replay: true`. `similar_existing` is a hint; the ticket is created regardless.",
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
    description: "Without the long texts; get a ticket for those.",
  }).input(ListTickets).output(TicketList).query(({ ctx, input }) => listTickets(ctx, input)),

  get: projectProcedure({
    ...read,
    method: "GET",
    path: "/projects/{id}/tickets/{ticketId}",
    summary: "Get a ticket by id or ref",
    errors: ["not_found"],
  }).input(TicketPathOrRef).output(Ticket).query(({ ctx, input }) => getTicket(ctx, input)),

  update: projectProcedure({
    ...write,
    method: "PATCH",
    path: "/projects/{id}/tickets/{ticketId}",
    summary: "Change a ticket",
    description: "Honours If-Match with the ticket's ETag.",
    errors: ["not_found", "version_conflict"],
  }).input(UpdateTicket).output(Ticket).mutation(({ ctx, input }) => updateTicket(ctx, input)),

  similar: projectProcedure({
    ...read,
    method: "POST",
    path: "/projects/{id}/tickets/similar",
    summary: "Find similar open tickets without creating one",
    errors: ["not_configured", "unavailable"],
    example: { input: draft },
  }).input(FindSimilar).output(SimilarTickets).query(({ ctx, input }) => findSimilarTickets(ctx, input)),
});
