import type { ActorContext } from "../core/context.ts";
import { waitForFollower } from "../core/follower.ts";
import { isChosen, isMine } from "./_mine.ts";
import type { ChooseNotifications } from "./schema.ts";

/** Marks notifications as read. A read notification isn't delivered any more. */
export async function markInboxRead(ctx: ActorContext, chosen: ChooseNotifications) {
  await waitForFollower(ctx, "notifications");
  const { count } = await ctx.db`
    update notifications n set read_at = now(), undelivered = false, urgent = false
    where ${isMine(ctx)} and ${isChosen(ctx, chosen)} and n.read_at is null`;
  return { updated: count };
}
