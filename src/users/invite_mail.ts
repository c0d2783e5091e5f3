import { v7 as uuid } from "uuid";
import type { Context } from "../core/context.ts";
import { seal } from "../core/sealed.ts";

/**
 * Mails the link to its user if mail is set up. The link is stored encrypted until it is sent. Call
 * it inside `transact`.
 */
export async function mailInvite(
  ctx: Context,
  userId: string,
  link: string,
): Promise<void> {
  if (!ctx.mailer) return;
  const id = uuid();
  await ctx.db`
    insert into messages (id, user_id, account_id, channel, kind, link)
    select ${id}::uuid, u.id, u.account_id, 'mail', 'invite', ${
    seal(ctx, "inviteLink", id, link)
  } from users u where u.id = ${userId}::uuid`;
  await ctx.queue.enqueue(ctx.db, "deliver-notifications", {});
}
