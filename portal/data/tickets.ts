import { mutationOptions } from "@tanstack/react-query";
import { codeOf, errorBody, handoff, trpc } from "../api/client.ts";
import type { Inputs, Role, Stage, Ticket, TicketSummary } from "../api/types.ts";
import { type TicketAt, ticketsChanged } from "./changes.ts";
import { ticketChange } from "./changing.ts";
import { nextPage } from "./pages.ts";
import { keepTicket, showMoved } from "./ticket_lists.ts";
import { withoutRepeats } from "./ticket_pages.ts";

export type TicketFilters = Omit<Inputs["tickets"]["list"], "id" | "limit" | "cursor" | "ids">;
/** The fields of a ticket that a change sets. */
export type TicketFields = Omit<Inputs["tickets"]["update"], keyof TicketAt>;

export const ticketQuery = (at: TicketAt) => trpc.tickets.get.queryOptions(at);

/**
 * All tickets of a project in one order, page by page. Changes are placed into the pages as they
 * happen, so the pages never become old.
 */
export function ticketsQuery(project: string, filters: TicketFilters, limit = 100) {
  return {
    ...trpc.tickets.list.infiniteQueryOptions({ id: project, ...filters, limit }, nextPage),
    staleTime: Infinity,
    select: withoutRepeats,
  };
}

/** The tickets of one column of the board. */
export function stageQuery(project: string, stage: Stage, { sort, ...filters }: TicketFilters) {
  // Finished work is sorted by time, and open work by urgency.
  const usual = stage === "live" ? "-updated_at" : "-priority";
  return ticketsQuery(project, { ...filters, stage, sort: sort ?? usual }, 50);
}

/** The children of a ticket, the oldest first. */
export function childrenQuery(project: string, ref: string) {
  return ticketsQuery(project, { q: `parent:${ref}`, sort: "created_at" }, 50);
}

/** The number of tickets in each open stage. */
export function countsQuery(project: string, { sort: _, stage: __, ...filters }: TicketFilters) {
  return trpc.tickets.count.queryOptions({ id: project, ...filters });
}

/** The tickets of a project that a search finds, the best first. */
export function foundQuery(
  project: string,
  asked: Pick<Inputs["tickets"]["list"], "q" | "status" | "limit">,
) {
  return trpc.tickets.list.queryOptions({ id: project, ...asked });
}

/** The first ticket that a project ever had. */
export function firstTicketQuery(project: string) {
  return trpc.tickets.list.queryOptions({ id: project, limit: 1, sort: "created_at" });
}

export function historyQuery(at: TicketAt) {
  return trpc.tickets.history.infiniteQueryOptions({ ...at, sort: "-at", limit: 50 }, nextPage);
}

/** Open tickets that say about the same as the texts. The answer costs the service a lot. */
export function similarQuery(project: string, texts: { title: string; description: string }) {
  return {
    ...trpc.tickets.similar.queryOptions({ id: project, ...texts }),
    staleTime: 300_000,
    retry: false,
  };
}

export async function createTicket(input: Inputs["tickets"]["create"]) {
  const created = await handoff.api.tickets.create.mutate(input);
  void ticketsChanged(input.id, [created.ticket.id]);
  return created;
}

export function changeRole(at: TicketAt, role: Role) {
  return ticketChange(
    at,
    (act: "start" | "finish" | "skip" | "reopen") =>
      handoff.api.tickets[`${act}Role`].mutate({ ...at, role }),
  );
}

/** The page names the tickets that it changes. */
type Bulk = Inputs["tickets"]["bulk"] & { ticket_ids: string[] };

/** The outcome that a change of many tickets would have. */
export function dryRunQuery(input: Bulk) {
  return {
    queryKey: ["dry run", input],
    queryFn: () => handoff.api.tickets.bulk.mutate({ ...input, dry_run: true }),
    staleTime: 0,
  };
}

/** A call that changes many tickets, each on its own. */
export type BulkChange = Omit<Bulk, "id">;

/** Changes many tickets at once. */
export async function bulkChange(project: string, change: BulkChange) {
  try {
    return await handoff.api.tickets.bulk.mutate({ id: project, ...change } as Bulk);
  } finally {
    await ticketsChanged(project, change.ticket_ids);
  }
}

/** The same as a mutation of a form. */
export function changeTickets(project: string) {
  return mutationOptions({
    mutationFn: (input: BulkChange) => bulkChange(project, input),
  });
}

/** Another person changed the field first, so nothing was saved. */
export interface Conflict {
  current: Ticket;
}

/** The number of tries of a save while somebody else changes other fields. */
const TRIES = 4;

/**
 * Saves fields of a ticket, for the version in which the person changed them. If somebody else has
 * changed other fields since, the fields are saved nevertheless. If somebody else has changed the
 * same fields, nothing is saved, and the result is the current ticket.
 */
export async function saveTicket(
  at: TicketAt,
  fields: TicketFields,
  base: Pick<TicketSummary, "version">,
): Promise<{ saved: Ticket } | Conflict> {
  let { version } = base;
  for (let tries = 1;; tries++) {
    try {
      const saved = await handoff.api.tickets.update.mutate({ ...at, ...fields }, {
        context: { ifMatch: version },
      });
      keepTicket(saved);
      return { saved };
    } catch (error) {
      const current = errorBody(error)?.details?.["current"] as Ticket | undefined;
      if (codeOf(error) !== "version_conflict" || !current) throw error;
      keepTicket(current);
      const names = Object.keys(fields) as (keyof TicketSummary)[];
      if (tries === TRIES || names.some((name) => !isSame((base as TicketSummary)[name], current[name]))) {
        return { current };
      }
      version = current.version;
    } finally {
      void ticketsChanged(at.id, [at.ticketId, ...parentsIn(fields, base)]);
    }
  }
}

/** The parents that count a child more or less after the change. */
function parentsIn({ parent_id }: TicketFields, base: Partial<TicketSummary>): string[] {
  if (parent_id === undefined) return [];
  return [parent_id, base.parent_id].filter((id) => id !== null && id !== undefined);
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/**
 * Shows a ticket in a stage before the service has answered. If the service refuses, or somebody
 * else has moved the ticket, the ticket goes back.
 */
export async function moveTicket(ticket: TicketSummary, stage: Stage): Promise<{ saved: Ticket } | Conflict> {
  const show = showMoved(ticket, stage);
  try {
    const outcome = await saveTicket({ id: ticket.project_id, ticketId: ticket.id }, { stage }, ticket);
    show("saved" in outcome ? outcome.saved : outcome.current);
    return outcome;
  } catch (error) {
    show(ticket);
    throw error;
  }
}
