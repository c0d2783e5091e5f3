import type { ProjectContext } from "../core/context.ts";
import { requireTicket } from "../tickets/get.ts";
import type { TicketPath } from "../tickets/schema.ts";
import { readWatchers } from "./_rows.ts";

/** The watchers of a ticket, those who have muted it among them. */
export async function listWatchers(ctx: ProjectContext, { ticketId }: TicketPath) {
  await requireTicket(ctx, ticketId);
  return { watchers: await readWatchers(ctx, ticketId, null), next_cursor: null };
}
