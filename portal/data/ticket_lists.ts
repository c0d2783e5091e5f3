import type { Query, QueryKey } from "@tanstack/react-query";
import { queryClient, trpc } from "../api/client.ts";
import type { Inputs, Ticket, TicketSummary } from "../api/types.ts";
import { placeTickets, type TicketPages } from "./ticket_pages.ts";

// The columns and lists of tickets that the browser holds, and what is shown in them.

type Input = Inputs["tickets"]["list"];
/** The conditions of a list, without the stage, the column and the group, which a ticket says itself. */
export type Conditions = Omit<
  Input,
  "id" | "ids" | "stage" | "column_id" | "group_by" | "group" | "sort" | "limit" | "cursor"
>;
type List = Query<TicketPages, Error, TicketPages, QueryKey>;

/** Where a ticket stands on a board. */
export type Place = Pick<TicketSummary, "stage" | "column_id" | "rank">;

/** Places in which tickets are shown although the service hasn't answered yet. */
const moving = new Map<string, Place>();

function inputOf(list: List): Input {
  return (list.queryKey[1] as { input: Input }).input;
}

function listsOf(project: string): List[] {
  const path = trpc.tickets.list.pathKey();
  return queryClient.getQueryCache().findAll({ queryKey: path }).filter(({ queryKey }) => {
    const { input, type } = queryKey[1] as { input?: Input; type?: string };
    return type === "infinite" && input?.id === project;
  }) as unknown as List[];
}

function conditionsOf(list: List): Conditions {
  const { id: _, stage: __, column_id: ___, sort: ____, limit: _____, ...rest } = inputOf(list);
  const { group_by: ______, group: _______, ...conditions } = rest;
  return Object.fromEntries(Object.entries(conditions).filter(([, value]) => value !== undefined));
}

/** The lists of a project by their conditions. The columns of a board have the same ones. */
export function listsByConditions(project: string): { conditions: Conditions; lists: List[] }[] {
  const groups = Map.groupBy(
    listsOf(project),
    (list) => JSON.stringify(Object.entries(conditionsOf(list)).toSorted()),
  );
  return Array.from(groups.values(), (lists) => ({ conditions: conditionsOf(lists[0]!), lists }));
}

/**
 * Places tickets into lists. `ids` are the tickets that may have changed, and `found` those of them
 * that have the lists' conditions. The result ends with the readings of these lists that are under
 * way: such a reading may be older than the tickets, so the caller has to read them again.
 */
export function placeInLists(
  lists: List[],
  ids: ReadonlySet<string>,
  found: readonly TicketSummary[],
): Promise<unknown>[] {
  const newest = newestOf(lists, found);
  return lists.flatMap((list) => {
    place(list, ids, newest);
    if (list.state.fetchStatus !== "fetching") return [];
    return [
      Promise.resolve(list.promise).catch(() => {}).then(() => place(list, ids, newestOf(lists, newest))),
    ];
  });
}

/** An answer may come after a later one. What the lists show in a later version stays as it is. */
function newestOf(lists: List[], found: readonly TicketSummary[]): TicketSummary[] {
  const newest = new Map(found.map((ticket) => [ticket.id, ticket]));
  for (
    const ticket of lists.flatMap(({ state }) => state.data?.pages.flatMap((page) => page.tickets) ?? [])
  ) {
    const other = newest.get(ticket.id);
    if (other && other.version < ticket.version) newest.set(ticket.id, ticket);
  }
  return [...newest.values()];
}

function place(list: List, ids: ReadonlySet<string>, found: readonly TicketSummary[]): void {
  const { data, isInvalidated } = list.state;
  // A list that will be read again when it is shown would count as new if it were changed.
  if (!data || (isInvalidated && !list.isActive())) return;
  const shown = found.map((ticket) => ({ ...ticket, ...moving.get(ticket.id) }));
  const next = placeTickets(data, inputOf(list), ids, shown);
  if (next !== data) queryClient.setQueryData(list.queryKey, next);
}

/** Shows the service's last answer about a ticket in each place that shows the ticket. */
export function keepTicket(ticket: Ticket): void {
  const { project_id: id, ticket_ref } = ticket;
  for (const ticketId of [ticket.id, ticket_ref]) {
    queryClient.setQueryData(trpc.tickets.get.queryKey({ id, ticketId }), ticket);
  }
  showTicket(ticket);
}

/** Shows a ticket in the lists whose conditions it is known to have. */
function showTicket(ticket: TicketSummary & Partial<Ticket>): void {
  for (const { lists } of listsByConditions(ticket.project_id)) {
    if (lists.some((list) => holds(list, ticket))) {
      placeInLists(lists, new Set([ticket.id]), [withoutTexts(ticket)]);
    }
  }
}

/** A list holds no long texts, as in the service's answers. */
function withoutTexts(ticket: TicketSummary & Partial<Ticket>): TicketSummary {
  const { description: _, evidence: __, suggested_resolution: ___, ...rest } = ticket;
  const { implementation_notes: ____, resolution_note: _____, ...summary } = rest;
  return summary;
}

/** Whether a list shows the ticket, and knows nothing newer about it. */
function holds({ state: { data } }: List, { id, version }: TicketSummary): boolean {
  return data?.pages.some(({ tickets }) =>
    tickets.some((each) => each.id === id && each.version <= version)
  ) ??
    false;
}

/**
 * Shows a ticket in another place. The result shows it where the service has it, unless the ticket
 * has been moved again since.
 */
export function showMoved(ticket: TicketSummary, place: Place): (stored: TicketSummary) => void {
  moving.set(ticket.id, place);
  showTicket(ticket);
  return (stored) => {
    if (moving.get(ticket.id) === place) moving.delete(ticket.id);
    showTicket(stored);
  };
}

/**
 * The ids of the tickets in the column that shows a ticket, if the column is shown in the order by
 * hand. Unlike what is drawn, it has what was moved in this instant.
 */
export function orderAround({ id, project_id }: TicketSummary): string[] | undefined {
  for (const list of listsOf(project_id)) {
    const { stage, sort } = inputOf(list);
    if (!list.isActive() || sort !== "rank" || stage === undefined || stage === "live") continue;
    const ids = new Set(list.state.data?.pages.flatMap(({ tickets }) => tickets.map(({ id }) => id)));
    if (ids.has(id)) return [...ids];
  }
  return undefined;
}

/**
 * The tickets of a project that have been read into columns or lists. Where two have the same
 * ticket, the later reading counts, because lists that nobody looks at are not read again.
 */
export function loadedTickets(project: string): Map<string, TicketSummary> {
  const lists = listsOf(project).toSorted((one, other) =>
    one.state.dataUpdatedAt - other.state.dataUpdatedAt
  );
  const tickets = lists.flatMap(({ state }) => state.data?.pages.flatMap((page) => page.tickets) ?? []);
  return new Map(tickets.map((ticket) => [ticket.id, ticket]));
}
