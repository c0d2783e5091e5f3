import type { ProjectContext } from "../core/context.ts";
import { decodeCursor, page } from "../core/cursor.ts";
import { pageLimit } from "../core/planner.ts";
import { noSuchTicket } from "../tickets/lock.ts";
import type { ListDuplicates, TicketDuplicates } from "./schema.ts";

type Twin = TicketDuplicates["duplicates"][number] & { number: number };

/**
 * Returns the ticket of which this one is a duplicate, and a page of the tickets that are
 * duplicates of it. Reopening a ticket removes its link.
 */
export async function getTicketDuplicates(
  ctx: ProjectContext,
  { ticketId, limit, cursor }: ListDuplicates,
): Promise<TicketDuplicates> {
  const { db, project } = ctx;
  const [after] = cursor ? decodeCursor(cursor, ["integer"]) : [0];
  const named = db`o.id as ticket_id, ${project.key} || '-' || o.number as ticket_ref, o.title, o.number`;
  const [[ticket], twins] = await Promise.all([
    db<{ duplicate_of: TicketDuplicates["duplicate_of"] }[]>`
      select (select jsonb_build_object('ticket_id', o.id, 'ticket_ref', ${project.key} || '-' || o.number, 'title', o.title)
        from ticket_duplicates d join tickets o on o.id = d.duplicate_of
        where d.ticket_id = t.id and t.resolution_type = 'duplicate') as duplicate_of
      from tickets t where t.id = ${ticketId}::uuid and t.project_id = ${project.id}::uuid`,
    db<Twin[]>`
      select ${named} from ticket_duplicates d join tickets o on o.id = d.ticket_id
      where d.duplicate_of = ${ticketId}::uuid and d.project_id = ${project.id}::uuid
        and o.resolution_type = 'duplicate' and o.number > ${after!}::bigint
      order by o.number limit ${pageLimit(db, limit)}`,
  ]);
  if (!ticket) throw noSuchTicket();
  const { items, next_cursor } = page(twins, limit, ({ number }) => [number]);
  return { ...ticket, duplicates: items, next_cursor };
}
