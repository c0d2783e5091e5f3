import { recordAudit } from "../core/audit.ts";
import type { Context } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { transact } from "../core/transact.ts";
import { readUnsubscribeToken } from "./unsubscribe_token.ts";

/**
 * Ends a user's mails by the link in one of them. Using it again changes nothing.
 * @throws {AppError} not_found for a forged link
 */
export async function unsubscribe(ctx: Context, token: string): Promise<void> {
  const userId = readUnsubscribeToken(ctx, token);
  if (userId === null) throw new AppError("not_found", "This link is not valid");
  await transact(ctx, async (ctx) => {
    const [changed] = await ctx.db<{ account_id: string }[]>`
      insert into notification_settings as s (user_id, mail) select id, 'none' from users where id = ${userId}::uuid
      on conflict (user_id) do update set mail = 'none', updated_at = now() where s.mail <> 'none'
      returning (select u.account_id from users u where u.id = s.user_id) as account_id`;
    if (!changed) return;
    await recordAudit(ctx, {
      account_id: changed.account_id,
      action: "user.unsubscribed",
      target_type: "user",
      target_id: userId,
    });
  });
}
