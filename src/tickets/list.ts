import type { ProjectContext } from "../core/context.ts";
import { decodeCursor, pageOfShortRows } from "../core/cursor.ts";
import { pageLimit } from "../core/planner.ts";
import { RANKS } from "./_conditions.ts";
import { filtered, filters, ticketsOf } from "./_filters.ts";
import { summaryColumns, type SummaryRow, ticketOf } from "./_rows.ts";
import { type ResolvedText, resolveText } from "./resolve_text.ts";
import type { ListTickets } from "./schema.ts";

const SORT_COLUMNS = {
  created_at: { column: "created_at", cast: "timestamptz", kind: "time" },
  updated_at: { column: "updated_at", cast: "timestamptz", kind: "time" },
  priority: { column: "priority_rank", cast: "bigint", kind: "integer" },
  rank: { column: "rank", cast: "text", kind: "rank" },
} as const;

/**
 * Returns one page of a project's tickets. The cursor is the last row's sort value and id, so that
 * inserts shift nothing.
 */
export async function listTickets(ctx: ProjectContext, input: ListTickets) {
  const descending = input.sort.startsWith("-");
  const name = (descending ? input.sort.slice(1) : input.sort) as keyof typeof SORT_COLUMNS;
  const order: Order = { name, descending };
  const text = await resolveText(ctx, "q", input.q);
  const rows = await filtered(input, readRows(ctx, input, order, text));
  const { items, next_cursor } = pageOfShortRows(
    rows,
    input.limit,
    (row) => [input.sort, sortValue(row, name), row.id],
  );
  const { unrecognized } = text;
  return {
    tickets: items.map((row) => ticketOf(ctx, row)),
    next_cursor,
    ...(unrecognized.length > 0 && { unrecognized }),
  };
}

interface Order {
  name: keyof typeof SORT_COLUMNS;
  descending: boolean;
}

function readRows(ctx: ProjectContext, input: ListTickets, order: Order, text: ResolvedText) {
  const { db } = ctx;
  const direction = db.unsafe(order.descending ? "desc" : "asc");
  return db<SummaryRow[]>`
    select ${summaryColumns(ctx)} from ${ticketsOf(ctx, input, text)} ${filters(ctx, input, text)} ${
    after(ctx, input, order)
  }
    order by ${db(`t.${SORT_COLUMNS[order.name].column}`)} ${direction}, t.id ${direction}
    limit ${pageLimit(db, input.limit)}`;
}

function sortValue(row: SummaryRow, name: Order["name"]): string | number {
  return name === "priority" ? RANKS[row.priority] : row[name];
}

/**
 * This is a row comparison, so that the read starts inside the sort order's index. With only `<` on
 * priorities the planner expects no tickets after the lowest rank, and would read all tickets of
 * that rank if few match.
 */
function after({ db }: ProjectContext, { cursor, sort }: ListTickets, { name, descending }: Order) {
  if (!cursor) return db``;
  const { column, cast, kind } = SORT_COLUMNS[name];
  const [, value, id] = decodeCursor(cursor, [{ exactly: sort }, kind, "id"]) as [
    string,
    string | number,
    string,
  ];
  const operator = db.unsafe(descending ? "<=" : ">=");
  return db`and (${db(`t.${column}`)}, t.id) ${operator} (${value}::${
    db.unsafe(cast)
  }, ${id}::uuid) and t.id <> ${id}::uuid`;
}
