import { projectsFor, roleInProject, withinReach } from "../core/access.ts";
import type { ActorContext } from "../core/context.ts";
import { decodeCursor, page } from "../core/cursor.ts";
import { pageLimit } from "../core/planner.ts";
import { lineColumns } from "../inbox/lines.ts";
import { sourcesFor } from "./_sources.ts";
import type { ListWaiting, WaitingItem } from "./schema.ts";

type WaitingRow = WaitingItem & { total: number; weight: number };

/**
 * Returns the items that wait for the caller. They are computed from current data and not stored.
 * Items that block most come first; among equals, those that have waited longest. The page is chosen
 * before its tickets are read, so the cost grows with the items and not with the tickets.
 */
export async function listWaiting(ctx: ActorContext, input: ListWaiting) {
  const { db, actor: { user, credential } } = ctx;
  const sources = sourcesFor(ctx, input.kind);
  if (sources.length === 0) return { waiting: [], total: 0, next_cursor: null };
  const bound = credential.type === "key" ? credential.project_id : null;
  const of = (id: string | null | undefined) => id ? db`and p.id = ${id}::uuid` : db``;
  const rows = await db<WaitingRow[]>`
    with reach as materialized (
      select p.id, ${roleInProject(db)} as role from ${projectsFor(db, user.id)}
      where ${withinReach(db, user)} and p.archived_at is null and ${roleInProject(db)} is not null ${
    of(bound)
  } ${of(input.project_id)}
    ), item (kind, id, title, since, due_at, project_id, ticket_id, tasks) as materialized (
      ${sources.flatMap((source, index) => index === 0 ? [source] : [db`union all`, source])}
    ), ranked as (
      select i.*, ((i.ticket_id in (select t.id from reach r join tickets t on t.project_id = r.id where t.blocking)) is true)::integer
        * 1000 + least(i.tasks, 999) as weight
      from item i
    ), i as materialized (
      select * from ranked i where ${after(ctx, input)}
      order by i.weight desc, i.since, i.id limit ${pageLimit(db, input.limit)}
    )
    select i.kind, i.id, i.title, i.since, floor(extract(epoch from now() - i.since))::float8 as age_seconds,
      jsonb_build_object('ticket', coalesce(t.blocking, false), 'tasks', i.tasks) as blocks, i.due_at, i.weight,
      (select count(*) from item)::integer as total,
      ${lineColumns(ctx)}
    from i left join tickets t on t.id = i.ticket_id left join projects p on p.id = i.project_id
    order by i.weight desc, i.since, i.id`;
  const { items, next_cursor } = page(rows, input.limit, ({ weight, since, id }) => [weight, since, id]);
  return { waiting: items.map(withoutEmpty), total: rows[0]?.total ?? 0, next_cursor };
}

function after({ db }: ActorContext, { cursor }: ListWaiting) {
  if (!cursor) return db`true`;
  const [weight, since, id] = decodeCursor(cursor, ["integer", "time", "id"]) as [number, string, string];
  return db`(i.weight < ${weight} or (i.weight = ${weight} and (i.since, i.id) > (${since}::timestamptz, ${id})))`;
}

/**
 * A webhook has no ticket. A dead letter has no project either, because it belongs to the
 * installation.
 */
function withoutEmpty({ total: _, weight: __, ...item }: WaitingRow): WaitingItem {
  return {
    ...item,
    ticket: item.ticket?.id ? item.ticket : null,
    project: item.project?.id ? item.project : null,
  };
}
