import type { ProjectContext } from "../core/context.ts";
import { filtered, filters, ticketsOf } from "./_filters.ts";
import { GROUPINGS } from "./_groups.ts";
import { resolveText } from "./resolve_text.ts";
import { type ListGroups, MAX_GROUPS, NO_VALUE, type TicketGroup } from "./schema.ts";

interface GroupRow extends Omit<TicketGroup, "value" | "ref"> {
  value: string | null;
  number: number | null;
  total: number;
}

/**
 * Returns the groups into which a field puts the tickets, with their counts. One statement reads all
 * tickets that fit once; the tickets of a group are listed page by page. Beyond the greatest number,
 * the largest groups are returned.
 */
export async function listGroups(ctx: ProjectContext, { by, ...input }: ListGroups) {
  const { db, project } = ctx;
  const { valueOf, about } = GROUPINGS[by];
  const text = await resolveText(ctx, "q", input.q);
  const rows = await filtered(
    input,
    db<GroupRow[]>`
    with g as (
      select value, count(*)::integer as count, count(*) over ()::integer as total
      from (select ${valueOf(ctx)} as value from ${ticketsOf(ctx, input, text)} ${
      filters(ctx, input, text)
    }) v
      group by value order by 2 desc, 1 limit ${db.unsafe(String(MAX_GROUPS))}
    )
    select g.value, g.count, g.total, a.name, a.color, a.number
    from g left join lateral (${about(db)}) a on true
    order by g.value is null, a.place nulls last, lower(a.name), g.value`,
  );
  const { unrecognized } = text;
  return {
    groups: rows.map(({ value, number, total: _, ...row }) => ({
      ...row,
      value: value ?? NO_VALUE,
      ref: number === null ? null : `${project.key}-${number}`,
    })),
    left_out: (rows[0]?.total ?? 0) - rows.length,
    ...(unrecognized.length > 0 && { unrecognized }),
  };
}
