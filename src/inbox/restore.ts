import type { ActorContext } from "../core/context.ts";
import { isMine, isOfTickets } from "./_mine.ts";
import type { RestoreNotifications } from "./schema.ts";

/** Takes notifications out of the archive. They stay read. */
export async function restoreInbox(ctx: ActorContext, { ticket_ids }: RestoreNotifications) {
  const { count } = await ctx.db`
    update notifications n set archived_at = null
    where ${isMine(ctx)} and ${isOfTickets(ctx, ticket_ids)} and n.archived_at is not null`;
  return { updated: count };
}
