import type { ActorContext } from "../core/context.ts";
import { waitForFollower } from "../core/follower.ts";
import { isMine, isVisible } from "./_mine.ts";

/** Counts the tickets that have something unread for the caller. */
export async function countInbox(ctx: ActorContext): Promise<{ unread: number }> {
  await waitForFollower(ctx, "notifications");
  const [row] = await ctx.db<[{ unread: number }]>`
    select count(*)::integer as unread from notifications n
    where ${isMine(ctx)} and ${isVisible(ctx)} and n.archived_at is null and n.read_at is null
      and not coalesce(n.snoozed_until > now(), false)`;
  return row;
}
