import type { ProjectContext } from "../core/context.ts";
import type { Watcher } from "./schema.ts";

/**
 * Reads all watchers of a ticket, or one. A user's own row takes precedence over the watching that
 * follows from the ticket.
 */
export async function readWatchers(
  { db }: ProjectContext,
  ticketId: string,
  userId: string | null,
): Promise<Watcher[]> {
  return await db<Watcher[]>`
    select distinct on (u.id) u.id as user_id, u.name, u.kind, w.reason, w.muted
    from (
      select user_id, reason, muted, 1 as place from watchers where ticket_id = ${ticketId}::uuid union all
      select created_by, 'creator', false, 2 from tickets where id = ${ticketId}::uuid union all
      select assignee_user_id, 'assigned', false, 3 from tickets
      where id = ${ticketId}::uuid and assignee_user_id is not null union all
      select assignee_user_id, 'assigned', false, 3 from tasks
      where ticket_id = ${ticketId}::uuid and status not in ('done', 'skipped')
    ) w join users u on u.id = w.user_id
    where ${userId}::uuid is null or u.id = ${userId}::uuid
    order by u.id, w.place`;
}
