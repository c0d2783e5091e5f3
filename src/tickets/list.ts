import { planForValues } from "../../db/open.ts";
import type { ProjectContext } from "../core/context.ts";
import { decodeCursor, page } from "../core/cursor.ts";
import { summaryColumns } from "./_rows.ts";
import { hasShip } from "./_ship.ts";
import { type ListTickets, Stage, type Status, type TicketSummary } from "./schema.ts";

const SORT_COLUMNS = {
  created_at: { column: "created_at", cast: "timestamptz", kind: "time" },
  updated_at: { column: "updated_at", cast: "timestamptz", kind: "time" },
  priority: { column: "priority_rank", cast: "bigint", kind: "integer" },
} as const;

const RANKS = { low: 1, medium: 2, high: 3 };

/** One page of a project's tickets; the cursor is the last row's sort value and id, so inserts shift nothing. */
export async function listTickets(ctx: ProjectContext, input: ListTickets) {
  const descending = input.sort.startsWith("-");
  const name = (descending ? input.sort.slice(1) : input.sort) as keyof typeof SORT_COLUMNS;
  const order: Order = { name, descending };
  const rows = input.q
    ? await planForValues(ctx.db, (db) => readRows({ ...ctx, db }, input, order))
    : await readRows(ctx, input, order);
  const { items, next_cursor } = page(rows, input.limit, (row) => [input.sort, sortValue(row, name), row.id]);
  return { tickets: items, next_cursor };
}

interface Order {
  name: keyof typeof SORT_COLUMNS;
  descending: boolean;
}

async function readRows(ctx: ProjectContext, input: ListTickets, order: Order): Promise<TicketSummary[]> {
  const { db, project } = ctx;
  const direction = db.unsafe(order.descending ? "desc" : "asc");
  // Written out: as a parameter the planner takes it for a tenth of the table, and plans each page anew.
  const limit = db.unsafe(String(input.limit + 1));
  return await db<TicketSummary[]>`
    select ${summaryColumns(ctx)} from tickets t
    where t.project_id = ${project.id}::uuid ${filters(ctx, input)} ${after(ctx, input, order)}
    order by ${db(`t.${SORT_COLUMNS[order.name].column}`)} ${direction}, t.id ${direction}
    limit ${limit}`;
}

function sortValue(row: TicketSummary, name: Order["name"]): string | number {
  return name === "priority" ? RANKS[row.priority] : row[name];
}

/** A row comparison, which the index of the order starts at. */
function after({ db }: ProjectContext, { cursor, sort }: ListTickets, { name, descending }: Order) {
  if (!cursor) return db``;
  const { column, cast, kind } = SORT_COLUMNS[name];
  const [, value, id] = decodeCursor(cursor, [{ exactly: sort }, kind, "id"]) as [
    string,
    string | number,
    string,
  ];
  const operator = db.unsafe(descending ? "<" : ">");
  return db`and (${db(`t.${column}`)}, t.id) ${operator} (${value}::${db.unsafe(cast)}, ${id}::uuid)`;
}

function filters(ctx: ProjectContext, input: ListTickets) {
  const { db, project } = ctx;
  const { role, ship, status, q, priority } = input;
  const equal = (["stage", "request_type", "blocking"] as const)
    .filter((name) => input[name] !== undefined)
    .reduce((all, name) => db`${all} and ${db(`t.${name}`)} = ${input[name]!}`, db``);
  return db`${equal}
    ${status ? db`and t.stage = any (${stagesOf(status)}::text[])` : db``}
    ${priority ? db`and t.priority_rank = ${RANKS[priority]}::smallint` : db``}
    ${
    role
      ? db`and exists (select from ticket_roles r
        where r.ticket_id = t.id and r.role = ${role} and r.project_id = ${project.id}::uuid)`
      : db``
  }
    ${ship ? db`and ${hasShip(db, project.id, ship)}` : db``}
    ${q ? db`and t.id in (${matches(ctx, q)})` : db``}`;
}

/** A status in terms of stages, which have an index: live is closed and nothing else is. */
function stagesOf(status: Status): string[] {
  return Stage.options.filter((stage) => (stage === "live") === (status === "closed"));
}

/**
 * Ids of the tickets whose text is what was asked for, or whose ref is named there with words of their text. Not an
 * `or`, which no index would serve.
 */
function matches({ db, project }: ProjectContext, q: string) {
  const words = db`select x.ticket_id from ticket_texts x
    where x.project_id = ${project.id}::uuid and x.document @@ websearch_to_tsquery('english', ${q})`;
  const ref = new RegExp(`(?<!\\S)${project.key}-(\\d{1,9})(?!\\S)`, "i");
  const number = ref.exec(q)?.[1];
  if (number === undefined) return words;
  const beside = db`websearch_to_tsquery('english', ${q.replace(ref, "")})`;
  return db`${words} union all
    select y.id from tickets y join ticket_texts x on x.ticket_id = y.id
    where y.project_id = ${project.id}::uuid and y.number = ${Number(number)}
      and (numnode(${beside}) = 0 or x.document @@ ${beside})`;
}
