import type { ProjectContext } from "../core/context.ts";
import { requireTicket } from "../tickets/get.ts";
import type { TicketPath } from "../tickets/schema.ts";
import { readWatchers } from "./_rows.ts";
import type { Watcher } from "./schema.ts";

/**
 * Watches or mutes a ticket for the caller. A mute stays even if a later event of the ticket would
 * make the caller a watcher.
 */
export async function watchTicket(
  ctx: ProjectContext,
  { ticketId }: TicketPath,
  muted: boolean,
): Promise<Watcher> {
  const { db, project, actor } = ctx;
  await requireTicket(ctx, ticketId);
  await db`
    insert into watchers as w (ticket_id, user_id, project_id, reason, muted)
    values (${ticketId}::uuid, ${actor.user.id}::uuid, ${project.id}::uuid, 'manual', ${muted})
    on conflict (ticket_id, user_id) do update set muted = ${muted}, reason = case when ${muted} then w.reason else 'manual' end`;
  const [watcher] = await readWatchers(ctx, ticketId, actor.user.id);
  return watcher!;
}
