import { type InfiniteData, type QueryKey, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { queryClient, trpc } from "../api/client.ts";
import type { Stage, TicketSummary } from "../api/types.ts";
import { STAGE_ORDER } from "../words/enums.ts";
import type { Filters } from "./filters.ts";

const PAGE = 50;

interface Page {
  tickets: TicketSummary[];
  next_cursor: string | null;
}
type Pages = InfiniteData<Page, string | null>;

function optionsOf(project: string, stage: Stage, { sort, ...filters }: Filters) {
  // Finished work is sorted by time, and open work by urgency.
  const usual = stage === "live" ? "-updated_at" as const : "-priority" as const;
  return trpc.tickets.list.infiniteQueryOptions(
    { id: project, ...filters, stage, limit: PAGE, sort: sort ?? usual },
    { getNextPageParam: ({ next_cursor }: Page) => next_cursor ?? undefined },
  );
}

export function useTicketsOfStage(project: string, stage: Stage, filters: Filters) {
  return useInfiniteQuery(optionsOf(project, stage, filters));
}

export function useCounts(project: string, { sort: _, stage: __, ...filters }: Filters) {
  return useQuery(trpc.tickets.count.queryOptions({ id: project, ...filters }));
}

/**
 * Shows tickets in their new place before the service has answered. Returns a function that undoes
 * this.
 */
export async function showMoved(project: string, filters: Filters, ids: ReadonlySet<string>, stage: Stage) {
  const keys = STAGE_ORDER.map((each) => ({ each, key: optionsOf(project, each, filters).queryKey }));
  // The answer to a running query would put the tickets back, so these queries are cancelled.
  await Promise.all(keys.map(({ key }) => queryClient.cancelQueries({ queryKey: key })));
  const before = keys.map(({ key }) => [key, queryClient.getQueryData<Pages>(key)] as const);
  const all = before.flatMap(([, data]) => data?.pages.flatMap(({ tickets }) => tickets) ?? []);
  const moved = all.filter(({ id }) => ids.has(id)).map((ticket) => ({ ...ticket, stage }));
  for (const { each, key } of keys) {
    queryClient.setQueryData<Pages>(key, (data) => {
      if (
        !data || (each !== stage && !data.pages.some(({ tickets }) => tickets.some(({ id }) => ids.has(id))))
      ) {
        return data;
      }
      const pages = data.pages.map((page, at) => ({
        ...page,
        tickets: [
          ...(each === stage && at === 0 ? moved : []),
          ...page.tickets.filter(({ id }) => !ids.has(id)),
        ],
      }));
      return { ...data, pages };
    });
  }
  return () => {
    for (const [key, data] of before) queryClient.setQueryData(key, data);
  };
}

/** Shows the ticket of the service's last answer, in every list that contains the ticket. */
export function keepTicket(project: string, ticket: TicketSummary): void {
  queryClient.setQueriesData<Pages>({ predicate: ({ queryKey }) => isList(queryKey, project) }, (data) => {
    if (!data?.pages?.some(({ tickets }) => tickets.some(({ id }) => id === ticket.id))) return data;
    const pages = data.pages.map((page) => ({
      ...page,
      tickets: page.tickets.map((each) => each.id === ticket.id ? { ...each, ...ticket } : each),
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
 * ticket, the later read counts: lists that nobody looks at are not asked for again.
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
