import type { Fragment } from "../../db/open.ts";
import { columnOf } from "../columns/in_column.ts";
import type { ProjectContext } from "../core/context.ts";
import { filtered, filters, ticketsOf } from "./_filters.ts";
import { resolveText } from "./resolve_text.ts";
import type { CountTickets, TicketCounts } from "./schema.ts";

/**
 * Counts the tickets in each open stage. Counting live tickets would read every ticket that ever
 * was.
 */
export async function countTickets(
  ctx: ProjectContext,
  { by_column, ...input }: CountTickets,
): Promise<TicketCounts> {
  // Open tickets have an index by priority. For any other filter, the index of stages answers
  // without reading a ticket.
  const status = input.priority && "open";
  const text = await resolveText(ctx, "q", input.q);
  const counted = ctx.db`from ${ticketsOf(ctx, input, text)}
      and t.stage in ('backlog', 'up_next', 'in_progress', 'validation') ${
    filters(ctx, { ...input, status }, text)
  }`;
  const query = ctx.db<[TicketCounts["stages"]]>`
    select count(*) filter (where t.stage = 'backlog') as backlog, count(*) filter (where t.stage = 'up_next') as up_next,
      count(*) filter (where t.stage = 'in_progress') as in_progress,
      count(*) filter (where t.stage = 'validation') as validation ${counted}`;
  const [stages] = await filtered(input, query);
  const { unrecognized } = text;
  return {
    stages,
    ...(by_column && { columns: await countByColumn(ctx, input, counted) }),
    ...(unrecognized.length > 0 && { unrecognized }),
  };
}

async function countByColumn(
  { db, project }: ProjectContext,
  input: Omit<CountTickets, "by_column">,
  counted: Fragment,
): Promise<Record<string, number>> {
  const rows = await filtered(
    input,
    db<{ id: string | null; tickets: number }[]>`
      select ${columnOf(db, project.id)} as id, count(*)::integer as tickets ${counted} group by 1`,
  );
  return Object.fromEntries(rows.flatMap(({ id, tickets }) => id === null ? [] : [[id, tickets]]));
}
