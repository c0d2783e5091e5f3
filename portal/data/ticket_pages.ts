import type { InfiniteData } from "@tanstack/react-query";
import type { Inputs, Priority, TicketSummary } from "../api/types.ts";

/** A page of a column or list, as the service sent it or with tickets placed into it since. */
export interface TicketPage {
  tickets: TicketSummary[];
  next_cursor: string | null;
  /** The ticket after which the next page begins, if the page has been changed since it was read. */
  end?: TicketSummary;
}

/** The pages of a column or list that have been read. */
export type TicketPages = InfiniteData<TicketPage, string | null>;

type List = Pick<
  Inputs["tickets"]["list"],
  "stage" | "column_id" | "group_by" | "group" | "sort" | "limit"
>;
type Order = (one: TicketSummary, other: TicketSummary) => number;

const RANKS: Record<Priority, number> = { low: 1, medium: 2, high: 3 };

/**
 * Places tickets into the pages of a list, where the service would list them. `ids` are the tickets
 * that may have changed, and `found` those of them that have the list's filters. A ticket that
 * belongs to a page that isn't read yet is left out, because that page will bring it. Pages without
 * a change stay the same objects.
 */
export function placeTickets(
  data: TicketPages,
  list: List,
  ids: ReadonlySet<string>,
  found: readonly TicketSummary[],
): TicketPages {
  const { sort, limit = 50 } = list;
  const order = orderOf(sort);
  const pages = data.pages.map((page) => without(page, ids));
  const last = pages.at(-1)!;
  const end = last.next_cursor === null ? undefined : last.end ?? last.tickets.at(-1);
  for (const ticket of found) {
    if (!isOf(list, ticket)) continue;
    // The next page leaves out the ticket after which it begins, wherever that ticket is by then.
    if (end === undefined || ticket.id === end.id || order(ticket, end) <= 0) insert(pages, ticket, order);
  }
  if (pages.every((page, at) => page === data.pages[at])) return data;
  const shown = ofUsualLength(pages, 2 * Number(limit));
  return { pages: shown, pageParams: shown.map((_, at) => data.pageParams[at] ?? null) };
}

/** The values of a ticket in the groups by a field, as the service names them. */
const VALUES: Record<Inputs["tickets"]["groups"]["by"], (ticket: TicketSummary) => (string | null)[]> = {
  stage: ({ stage }) => [stage],
  column: ({ column_id, stage }) => [column_id ?? stage],
  priority: ({ priority }) => [priority],
  assignee: ({ assignee_user_id }) => [assignee_user_id],
  milestone: ({ milestone_id }) => [milestone_id],
  parent: ({ parent_id }) => [parent_id],
  label: ({ labels }) => labels.length > 0 ? labels.map(({ id }) => id) : [null],
};

/** Whether a ticket has the stage, the column and the group of a list. */
function isOf({ stage, column_id, group_by, group }: List, ticket: TicketSummary): boolean {
  if (stage !== undefined && ticket.stage !== stage) return false;
  if (column_id !== undefined && ticket.column_id !== column_id) return false;
  return group_by === undefined || VALUES[group_by](ticket).some((value) => (value ?? "none") === group);
}

/** Leaves out what two pages have in common, because a ticket has moved between two readings. */
export function withoutRepeats(data: TicketPages): TicketPages {
  const total = data.pages.reduce((sum, { tickets }) => sum + tickets.length, 0);
  const seen = new Set<string>();
  for (const { tickets } of data.pages) for (const { id } of tickets) seen.add(id);
  if (seen.size === total) return data;
  // The later page was read later.
  const pages = data.pages.toReversed().map((page) => {
    const tickets = page.tickets.filter(({ id }) => seen.delete(id));
    return tickets.length === page.tickets.length ? page : { ...page, tickets };
  });
  return { ...data, pages: pages.toReversed() };
}

/** The service's order, in which the id decides between equal values. */
function orderOf(sort: List["sort"] = "-created_at"): Order {
  const [name, by] = sort.startsWith("-") ? [sort.slice(1), -1] : [sort, 1];
  const valueOf = (ticket: TicketSummary): string | number =>
    name === "priority" ? RANKS[ticket.priority] : ticket[name as "created_at" | "updated_at" | "rank"];
  return (one, other) => by * (compare(valueOf(one), valueOf(other)) || compare(one.id, other.id));
}

function compare(one: string | number, other: string | number): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function without(page: TicketPage, ids: ReadonlySet<string>): TicketPage {
  if (!page.tickets.some(({ id }) => ids.has(id))) return page;
  return { ...ended(page), tickets: page.tickets.filter(({ id }) => !ids.has(id)) };
}

/** Remembers where the next page begins, before the page changes. */
function ended(page: TicketPage): TicketPage {
  const end = page.end ?? page.tickets.at(-1);
  return end === undefined ? page : { ...page, end };
}

function insert(pages: TicketPage[], ticket: TicketSummary, order: Order): void {
  const found = pages.findIndex(({ tickets }) => tickets.length > 0 && order(ticket, tickets.at(-1)!) < 0);
  const at = found < 0 ? pages.length - 1 : found;
  const page = pages[at]!;
  const next = page.tickets.findIndex((each) => order(ticket, each) < 0);
  const place = next < 0 ? page.tickets.length : next;
  pages[at] = { ...ended(page), tickets: page.tickets.toSpliced(place, 0, ticket) };
}

/** Splits a page that has grown, and leaves empty ones out, because a page is drawn as a whole. */
function ofUsualLength(pages: TicketPage[], most: number): TicketPage[] {
  const last = pages.at(-1)!;
  const parts = pages.flatMap((page) => {
    if (page.tickets.length === 0) return [];
    if (page.tickets.length <= most) return [page];
    const half = page.tickets.length >> 1;
    return [{ ...page, tickets: page.tickets.slice(0, half) }, {
      ...page,
      tickets: page.tickets.slice(half),
    }];
  });
  // The list goes on where the last page ended, also if that page has become empty.
  const before = parts.pop();
  if (before?.next_cursor === last.next_cursor && before.end === last.end) return [...parts, before];
  const { next_cursor, end } = last;
  return [...parts, { tickets: before?.tickets ?? [], next_cursor, ...(end && { end }) }];
}
