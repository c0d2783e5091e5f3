import { visibleProjects } from "../core/access.ts";
import type { ProjectContext } from "../core/context.ts";
import { decodeCursor, page } from "../core/cursor.ts";
import { pageLimit } from "../core/planner.ts";
import { noSuchTicket } from "../tickets/lock.ts";
import type { ListDuplicates, TicketDuplicates } from "./schema.ts";

type Twin = TicketDuplicates["duplicates"][number] & { number: number };

/**
 * Returns the ticket of which this one is a duplicate, and a page of the tickets that are
 * duplicates of it, as far as the caller sees them. Reopening a ticket removes its link.
 */
export async function getTicketDuplicates(
  ctx: ProjectContext,
  { ticketId, limit, cursor }: ListDuplicates,
): Promise<TicketDuplicates> {
  const { db, project, actor } = ctx;
  const after = cursor ? decodeCursor(cursor, ["integer", "id"]) : null;
  const visible = visibleProjects(db, actor);
  const [[ticket], twins] = await Promise.all([
    db<{ duplicate_of: TicketDuplicates["duplicate_of"] }[]>`
      select (select jsonb_build_object('ticket_id', o.id, 'ticket_ref', p.key || '-' || o.number, 'title', o.title)
        from ticket_duplicates d join tickets o on o.id = d.duplicate_of join projects p on p.id = o.project_id
        where d.ticket_id = t.id and t.resolution_type = 'duplicate' and p.id in ${visible}) as duplicate_of
      from tickets t where t.id = ${ticketId}::uuid and t.project_id = ${project.id}::uuid`,
    db<Twin[]>`
      select o.id as ticket_id, p.key || '-' || o.number as ticket_ref, o.title, o.number
      from ticket_duplicates d join tickets o on o.id = d.ticket_id join projects p on p.id = o.project_id
      where d.duplicate_of = ${ticketId}::uuid and p.id in ${visible} and o.resolution_type = 'duplicate'
        ${after ? db`and (o.number, o.id) > (${after[0]!}::bigint, ${after[1]!}::uuid)` : db``}
      order by o.number, o.id limit ${pageLimit(db, limit)}`,
  ]);
  if (!ticket) throw noSuchTicket();
  const { items, next_cursor } = page(twins, limit, ({ number, ticket_id }) => [number, ticket_id]);
  return { ...ticket, duplicates: items, next_cursor };
}
