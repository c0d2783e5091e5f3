import type { InfiniteData, QueryKey } from "@tanstack/react-query";
import { codeOf, errorBody, handoff, queryClient, trpc } from "../api/client.ts";
import type { Inputs, Role, Stage, Ticket, TicketSummary } from "../api/types.ts";
import { STAGE_ORDER } from "../words/enums.ts";
import { projectChanged, type TicketAt, ticketChanged } from "./changes.ts";
import { changing, projectChange, ticketChange } from "./changing.ts";
import { nextPage } from "./pages.ts";

export type TicketFilters = Omit<Inputs["tickets"]["list"], "id" | "limit" | "cursor" | "ids">;
/** The fields of a ticket that a change sets. */
export type TicketFields = Omit<Inputs["tickets"]["update"], keyof TicketAt>;

interface Page {
  tickets: TicketSummary[];
  next_cursor: string | null;
}
type Pages = InfiniteData<Page, string | null>;

export const ticketQuery = (at: TicketAt) => trpc.tickets.get.queryOptions(at);

/** All tickets of a project in one order, page by page. */
export function ticketsQuery(project: string, filters: TicketFilters, limit = 100) {
  return trpc.tickets.list.infiniteQueryOptions({ id: project, ...filters, limit }, nextPage);
}

/** The tickets of one column of the board. */
export function stageQuery(project: string, stage: Stage, { sort, ...filters }: TicketFilters) {
  // Finished work is sorted by time, and open work by urgency.
  const usual = stage === "live" ? "-updated_at" : "-priority";
  return ticketsQuery(project, { ...filters, stage, sort: sort ?? usual }, 50);
}

/** The number of tickets in each open stage. */
export function countsQuery(project: string, { sort: _, stage: __, ...filters }: TicketFilters) {
  return trpc.tickets.count.queryOptions({ id: project, ...filters });
}

/** The tickets of a project that a search finds, the best first. */
export function foundQuery(project: string, q: string, limit: number) {
  return trpc.tickets.list.queryOptions({ id: project, q, limit });
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

export const createTicket = (input: Inputs["tickets"]["create"]) =>
  changing(handoff.api.tickets.create.mutate(input)).finally(() => void projectChanged(input.id));

export function changeRole(at: TicketAt, role: Role) {
  return ticketChange(
    at,
    (act: "start" | "finish" | "skip" | "reopen") =>
      handoff.api.tickets[`${act}Role`].mutate({ ...at, role }),
  );
}

type Bulk = Inputs["tickets"]["bulk"];

/** What a change of many tickets would do. */
export function dryRunQuery(input: Bulk) {
  return {
    queryKey: ["dry run", input],
    queryFn: () => handoff.api.tickets.bulk.mutate({ ...input, dry_run: true }),
    staleTime: 0,
  };
}

export function changeTickets(project: string) {
  return projectChange(
    project,
    (input: Omit<Bulk, "id">) => handoff.api.tickets.bulk.mutate({ id: project, ...input } as Bulk),
  );
}

/** Another person changed the field first, so nothing was saved. */
export interface Conflict {
  current: Ticket;
}

/** How often a save is sent again because somebody else has changed other fields meanwhile. */
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
      void ticketChanged(at);
    }
  }
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/**
 * Shows a ticket in a stage before the service has answered. If the service refuses, or somebody
 * else has moved the ticket, the ticket goes back.
 */
export async function moveTicket(
  project: string,
  filters: TicketFilters,
  ticket: TicketSummary,
  stage: Stage,
): Promise<{ saved: Ticket } | Conflict> {
  const takeBack = await showMoved(project, filters, ticket.id, stage);
  try {
    const outcome = await saveTicket({ id: project, ticketId: ticket.id }, { stage }, ticket);
    if ("current" in outcome) takeBack();
    return outcome;
  } catch (error) {
    takeBack();
    throw error;
  }
}

async function showMoved(project: string, filters: TicketFilters, id: string, stage: Stage) {
  const keys = STAGE_ORDER.map((each) => ({ each, key: stageQuery(project, each, filters).queryKey }));
  // The answer to a running query would put the tickets back, so these queries are cancelled.
  await Promise.all(keys.map(({ key }) => queryClient.cancelQueries({ queryKey: key })));
  const before = keys.map(({ key }) => [key, queryClient.getQueryData<Pages>(key)] as const);
  const all = before.flatMap(([, data]) => data?.pages.flatMap(({ tickets }) => tickets) ?? []);
  const moved = all.filter((ticket) => ticket.id === id).map((ticket) => ({ ...ticket, stage }));
  for (const { each, key } of keys) {
    queryClient.setQueryData<Pages>(key, (data) => {
      if (
        !data || (each !== stage && !data.pages.some(({ tickets }) => tickets.some((each) => each.id === id)))
      ) {
        return data;
      }
      const pages = data.pages.map((page, at) => ({
        ...page,
        tickets: [
          ...(each === stage && at === 0 ? moved : []),
          ...page.tickets.filter((ticket) => ticket.id !== id),
        ],
      }));
      return { ...data, pages };
    });
  }
  return () => {
    for (const [key, data] of before) queryClient.setQueryData(key, data);
  };
}

/** Shows the service's last answer about a ticket in each place that shows the ticket. */
export function keepTicket(ticket: Ticket): void {
  const { project_id: id, id: ticketId, ticket_ref } = ticket;
  for (const named of [ticketId, ticket_ref]) {
    queryClient.setQueryData(trpc.tickets.get.queryKey({ id, ticketId: named }), ticket);
  }
  queryClient.setQueriesData<Pages>({ predicate: ({ queryKey }) => isList(queryKey, id) }, (data) => {
    if (!data?.pages?.some(({ tickets }) => tickets.some((each) => each.id === ticketId))) return data;
    const pages = data.pages.map((page) => ({
      ...page,
      tickets: page.tickets.map((each) => each.id === ticketId ? { ...each, ...ticket } : each),
    }));
    return { ...data, pages };
  });
}

function isList(key: QueryKey, project: string): boolean {
  const [path, options] = key as [string[], { input?: { id?: string } } | undefined];
  return path?.[0] === "tickets" && path[1] === "list" && options?.input?.id === project;
}

/**
 * The tickets of a project that have been read into columns or lists. Where two have the same
 * ticket, the later read counts, because lists that nobody looks at are not read again.
 */
export function loadedTickets(project: string): Map<string, TicketSummary> {
  const lists = queryClient.getQueryCache().findAll({
    predicate: ({ queryKey }) => isList(queryKey, project),
  }).toSorted((one, other) => one.state.dataUpdatedAt - other.state.dataUpdatedAt);
  const tickets = lists.flatMap(({ state }) =>
    (state.data as Partial<Pages> | undefined)?.pages?.flatMap((page) => page.tickets ?? []) ?? []
  );
  return new Map(tickets.map((ticket) => [ticket.id, ticket]));
}
