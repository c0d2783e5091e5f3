import type { ProjectContext } from "../core/context.ts";
import { requireTicket } from "../tickets/get.ts";
import type { TicketPath } from "../tickets/schema.ts";
import { readWatchers } from "./_rows.ts";

/** Returns the watchers of a ticket, including those who have muted it. */
export async function listWatchers(ctx: ProjectContext, { ticketId }: TicketPath) {
  await requireTicket(ctx, ticketId);
  return { watchers: await readWatchers(ctx, ticketId, null), next_cursor: null };
}
