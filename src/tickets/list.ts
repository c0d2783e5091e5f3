import type { ProjectContext } from "../core/context.ts";
import { decodeCursor, page } from "../core/cursor.ts";
import { shipColumn, summaryColumns } from "./_rows.ts";
import type { ListTickets, TicketSummary } from "./schema.ts";

const SORT_COLUMNS = {
  created_at: { column: "created_at", cast: "timestamptz", type: "string" },
  updated_at: { column: "updated_at", cast: "timestamptz", type: "string" },
  priority: { column: "priority_rank", cast: "smallint", type: "number" },
} as const;

const RANKS = { low: 1, medium: 2, high: 3 };

/** One page of a project's tickets; the cursor is the last row's sort value and id, so inserts shift nothing. */
export async function listTickets(ctx: ProjectContext, input: ListTickets) {
  const descending = input.sort.startsWith("-");
  const name = (descending ? input.sort.slice(1) : input.sort) as keyof typeof SORT_COLUMNS;
  const rows = await ctx.db<TicketSummary[]>`
    select ${summaryColumns(ctx)} from tickets t
    where t.project_id = ${ctx.project.id}::uuid ${filters(ctx, input)} ${after(ctx, input, name, descending)}
    order by ${ctx.db(`t.${SORT_COLUMNS[name].column}`)} ${descending ? ctx.db`desc` : ctx.db``},
      t.id ${descending ? ctx.db`desc` : ctx.db``}
    limit ${input.limit + 1}`;
  const { items, next_cursor } = page(rows, input.limit, (row) => [sortValue(row, name), row.id]);
  return { tickets: items, next_cursor };
}

function sortValue(row: TicketSummary, name: keyof typeof SORT_COLUMNS): string | number {
  return name === "priority" ? RANKS[row.priority] : row[name];
}

function after(
  { db }: ProjectContext,
  input: ListTickets,
  name: keyof typeof SORT_COLUMNS,
  descending: boolean,
) {
  if (!input.cursor) return db``;
  const { column, cast, type } = SORT_COLUMNS[name];
  const [value, id] = decodeCursor(input.cursor, [type, "string"]) as [string | number, string];
  const operator = descending ? "<" : ">";
  return db`and (${db(`t.${column}`)}, t.id) ${db.unsafe(operator)} (${value}::${
    db.unsafe(cast)
  }, ${id}::uuid)`;
}

function filters(ctx: ProjectContext, input: ListTickets) {
  const { db, project } = ctx;
  const equal = (["stage", "status", "request_type", "priority", "blocking"] as const)
    .filter((name) => input[name] !== undefined)
    .reduce((all, name) => db`${all} and ${db(`t.${name}`)} = ${input[name]!}`, db``);
  const { role, ship, q } = input;
  return db`${equal}
    ${role ? db`and exists (select from ticket_roles r where r.ticket_id = t.id and r.role = ${role})` : db``}
    ${ship ? db`and ${shipColumn(db, project.id)} = ${ship}` : db``}
    ${q ? db`and ${matches(ctx, q)}` : db``}`;
}

function matches({ db, project }: ProjectContext, q: string) {
  const words = db`t.id in (select x.ticket_id from ticket_texts x
    where x.project_id = ${project.id}::uuid and x.document @@ websearch_to_tsquery('english', ${q}))`;
  const ref = /^([A-Za-z][A-Za-z0-9]*)-(\d{1,9})$/.exec(q.trim());
  if (ref?.[1]?.toUpperCase() !== project.key) return words;
  return db`(t.number = ${Number(ref[2])} or ${words})`;
}
