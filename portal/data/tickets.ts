import { mutationOptions } from "@tanstack/react-query";
import { codeOf, errorBody, handoff, trpc } from "../api/client.ts";
import type { Inputs, Role, Stage, Ticket, TicketSummary } from "../api/types.ts";
import { type TicketAt, ticketsChanged } from "./changes.ts";
import { ticketChange } from "./changing.ts";
import { nextPage } from "./pages.ts";
import { keepTicket, loadedTickets, showMoved } from "./ticket_lists.ts";
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

/** A column of the board: one that a stage has for itself, or a stage that has none. */
export interface ColumnAt {
  stage: Stage;
  column_id: string | null;
}

/** The tickets of one column of the board. */
export function columnQuery(
  project: string,
  { stage, column_id }: ColumnAt,
  { sort, ...filters }: TicketFilters,
) {
  // Finished work is sorted by time, and open work by hand.
  const usual = stage === "live" ? "-updated_at" : "rank";
  const at = column_id === null ? { stage } : { stage, column_id };
  return ticketsQuery(project, { ...filters, ...at, sort: sort ?? usual }, 50);
}

/** The children of a ticket, the oldest first. */
export function childrenQuery(project: string, ref: string) {
  return ticketsQuery(project, { q: `parent:${ref}`, sort: "created_at" }, 50);
}

/** The number of tickets in each open stage, and with `by_column` in each column. */
export function countsQuery(
  project: string,
  { sort: _, stage: __, column_id: ___, ...filters }: TicketFilters,
  more: { by_column?: true } = {},
) {
  return trpc.tickets.count.queryOptions({ id: project, ...filters, ...more });
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
  const send = (ifMatch: number) =>
    handoff.api.tickets.update.mutate({ ...at, ...fields }, { context: { ifMatch } });
  try {
    return await saveUnder(base, Object.keys(fields) as (keyof TicketSummary)[], send);
  } finally {
    void ticketsChanged(at.id, [at.ticketId, ...parentsIn(fields, base)]);
  }
}

/** Makes a call under the ticket's version, again as long as only other fields have changed. */
async function saveUnder(
  base: Pick<TicketSummary, "version">,
  names: readonly (keyof TicketSummary)[],
  send: (ifMatch: number) => Promise<Ticket>,
): Promise<{ saved: Ticket } | Conflict> {
  let { version } = base;
  for (let tries = 1;; tries++) {
    try {
      const saved = await send(version);
      keepTicket(saved);
      return { saved };
    } catch (error) {
      const current = errorBody(error)?.details?.["current"] as Ticket | undefined;
      if (codeOf(error) !== "version_conflict" || !current) throw error;
      keepTicket(current);
      if (tries === TRIES || names.some((name) => !isSame((base as TicketSummary)[name], current[name]))) {
        return { current };
      }
      version = current.version;
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

/** Where a ticket goes: a column, and in the order by hand between two tickets if they are named. */
export interface Target extends ColumnAt {
  /** The id of the ticket above the place; null at the top. Without it, the ticket keeps its order. */
  above?: string | null;
  /** The id of the ticket below the place; null at the bottom. */
  below?: string | null;
}

/** The last move of each ticket, because moves of one ticket come one after the other. */
const moves = new Map<string, Promise<unknown>>();

/**
 * Shows a ticket in its new place before the service has answered. If the service refuses, or
 * somebody else has moved the ticket, the ticket goes back.
 */
export async function moveTicket(
  ticket: TicketSummary,
  target: Target,
): Promise<{ saved: Ticket } | Conflict> {
  const { stage, column_id } = target;
  const show = showMoved(ticket, { stage, column_id, rank: rankAt(ticket, target) });
  const moved = (moves.get(ticket.id) ?? Promise.resolve()).then(() => sendMove(ticket, target));
  moves.set(ticket.id, moved.catch(() => {}));
  try {
    const outcome = await moved;
    show("saved" in outcome ? outcome.saved : outcome.current);
    return outcome;
  } catch (error) {
    show(ticket);
    throw error;
  }
}

async function sendMove(ticket: TicketSummary, { stage, column_id, above, below }: Target) {
  const at = { id: ticket.project_id, ticketId: ticket.id };
  const place = {
    ...(stage !== ticket.stage && { stage }),
    ...(column_id !== ticket.column_id && column_id !== null && { column_id }),
    ...(below ? { before: below } : above ? { after: above } : {}),
  };
  try {
    return await saveUnder(
      ticket,
      ["stage", "column_id"],
      (ifMatch) => handoff.api.tickets.place.mutate({ ...at, ...place }, { context: { ifMatch } }),
    );
  } finally {
    void ticketsChanged(at.id, [at.ticketId]);
  }
}

/** A key behind that of the ticket above, and before every other one. The service's answer replaces it. */
function rankAt(ticket: TicketSummary, { above }: Target): string {
  if (above === undefined) return ticket.rank;
  return above === null ? "" : `${loadedTickets(ticket.project_id).get(above)?.rank ?? ""} `;
}

/** The first or last tickets of a column in the order by hand, whether they are loaded or not. */
export async function endOfColumn(
  project: string,
  { stage, column_id }: ColumnAt,
  end: "top" | "bottom",
): Promise<TicketSummary[]> {
  const { tickets } = await handoff.api.tickets.list.query({
    id: project,
    stage,
    ...(column_id !== null && { column_id }),
    sort: end === "top" ? "rank" : "-rank",
    limit: 2,
  });
  return tickets;
}
