import type { ActorContext } from "../core/context.ts";
import { waitForFollower } from "../core/follower.ts";
import { isChosen, isMine } from "./_mine.ts";
import type { ChooseNotifications } from "./schema.ts";

/**
 * Archives notifications and marks them as read. The next event of their ticket brings them back.
 */
export async function archiveInbox(ctx: ActorContext, chosen: ChooseNotifications) {
  await waitForFollower(ctx, "notifications");
  const { count } = await ctx.db`
    update notifications n set archived_at = now(), read_at = coalesce(n.read_at, now()), undelivered = false, urgent = false
    where ${isMine(ctx)} and ${isChosen(ctx, chosen)} and n.archived_at is null`;
  return { updated: count };
}
