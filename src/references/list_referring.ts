import { visibleProjects } from "../core/access.ts";
import type { ProjectContext } from "../core/context.ts";
import { decodeCursor, pageOfShortRows } from "../core/cursor.ts";
import { waitForFollower } from "../core/follower.ts";
import { pageLimit } from "../core/planner.ts";
import { requireTicket } from "../tickets/get.ts";
import { linkedTicket } from "../tickets/linked_ticket.ts";
import type { ListReferring, ReferringList, ReferringTicket } from "./schema.ts";

/** Returns one page of the tickets whose texts name a ticket, the latest first. */
export async function listReferring(
  ctx: ProjectContext,
  { ticketId, limit, cursor }: ListReferring,
): Promise<ReferringList> {
  const [at, id] = cursor ? decodeCursor(cursor, ["time", "id"]) as [string, string] : [];
  await waitForFollower(ctx, "references");
  const { db, actor, project } = ctx;
  const after = at ? db`where (m.last_at, m.ticket_id) < (${at}::timestamptz, ${id!}::uuid)` : db``;
  const [, rows] = await Promise.all([
    requireTicket(ctx, ticketId),
    db<ReferringTicket[]>`
      select ${linkedTicket(db)} as ticket, m.parts, m.last_at
      from (
        select r.ticket_id, array_agg(distinct r.entity order by r.entity) as parts, max(r.created_at) as last_at
        from project_keys k join tickets named on named.id = ${ticketId}::uuid
        join ticket_references r on r.account_id = k.account_id and r.key = k.key and r.number = named.number
        join tickets t on t.id = r.ticket_id join projects p on p.id = t.project_id
        where k.project_id = ${project.id}::uuid and r.ticket_id <> named.id and p.id in ${
      visibleProjects(db, actor)
    }
        group by r.ticket_id
      ) m join tickets t on t.id = m.ticket_id join projects p on p.id = t.project_id
      ${after} order by m.last_at desc, m.ticket_id desc limit ${pageLimit(db, limit)}`,
  ]);
  const { items, next_cursor } = pageOfShortRows(rows, limit, ({ last_at, ticket }) => [last_at, ticket.id]);
  return { referring: items, next_cursor };
}
