import { visibleProjects } from "../core/access.ts";
import type { ProjectContext } from "../core/context.ts";
import { waitForFollower } from "../core/follower.ts";
import { requireTicket } from "../tickets/get.ts";
import { linkedTicket } from "../tickets/linked_ticket.ts";
import type { TicketPath } from "../tickets/schema.ts";
import { MAX_REFERENCES, type ReferenceList } from "./schema.ts";

/** Returns the tickets that a ticket's texts name. One that the caller may not see is left out, as one that isn't there. */
export async function listReferences(ctx: ProjectContext, { ticketId }: TicketPath): Promise<ReferenceList> {
  await waitForFollower(ctx, "references");
  const { db, actor } = ctx;
  const [, references] = await Promise.all([
    requireTicket(ctx, ticketId),
    db<{ ticket: ReferenceList["references"][number] }[]>`
      select ${linkedTicket(db)} as ticket
      from tickets t join projects p on p.id = t.project_id
      where t.id <> ${ticketId}::uuid and p.id in ${visibleProjects(db, actor)} and t.id in (
        select named.id from ticket_references r
        join project_keys k on k.account_id = r.account_id and k.key = r.key
        join tickets named on named.project_id = k.project_id and named.number = r.number
        where r.ticket_id = ${ticketId}::uuid)
      order by p.key, t.number limit ${MAX_REFERENCES}`,
  ]);
  return { references: references.map(({ ticket }) => ticket), next_cursor: null };
}
