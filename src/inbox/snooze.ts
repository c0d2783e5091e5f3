import type { ActorContext } from "../core/context.ts";
import { isMine, isOfTickets } from "./_mine.ts";
import type { SnoozeNotifications } from "./schema.ts";

/**
 * Hides notifications until a time. Events that happen on their tickets before that time stay
 * hidden, too, and appear together with the notifications.
 */
export async function snoozeInbox(ctx: ActorContext, { ticket_ids, until }: SnoozeNotifications) {
  const { count } = await ctx.db`
    update notifications n set snoozed_until = ${until}::timestamptz
    where ${isMine(ctx)} and ${isOfTickets(ctx, ticket_ids)} and n.archived_at is null`;
  return { updated: count };
}
