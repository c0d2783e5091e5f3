import type { ProjectContext } from "../core/context.ts";
import { noSuchTicket } from "../tickets/lock.ts";
import type { TicketPath } from "../tickets/schema.ts";
import type { TicketDuplicates } from "./schema.ts";

/**
 * Returns the ticket of which this one is a duplicate, and the tickets that are duplicates of it.
 * Reopening a ticket removes its link.
 */
export async function getTicketDuplicates(
  ctx: ProjectContext,
  input: TicketPath,
): Promise<TicketDuplicates> {
  const { db, project } = ctx;
  const named =
    db`jsonb_build_object('ticket_id', o.id, 'ticket_ref', ${project.key} || '-' || o.number, 'title', o.title)`;
  const [row] = await db<TicketDuplicates[]>`
    select (select ${named} from ticket_duplicates d join tickets o on o.id = d.duplicate_of
        where d.ticket_id = t.id and t.resolution_type = 'duplicate') as duplicate_of,
      coalesce((select jsonb_agg(${named} order by o.number) from ticket_duplicates d join tickets o on o.id = d.ticket_id
        where d.duplicate_of = t.id and o.resolution_type = 'duplicate'), '[]') as duplicates
    from tickets t where t.id = ${input.ticketId}::uuid and t.project_id = ${project.id}::uuid`;
  if (!row) throw noSuchTicket();
  return row;
}
