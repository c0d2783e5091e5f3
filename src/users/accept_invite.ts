import { recordAudit } from "../core/audit.ts";
import type { RequestContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { forgetAccess } from "../core/forget_access.ts";
import { inOrder } from "../core/in_order.ts";
import { hashPassword } from "../core/passwords.ts";
import { hashToken } from "../core/tokens.ts";
import { transact } from "../core/transact.ts";
import { userColumns } from "./_rows.ts";
import type { AcceptInvite, User } from "./schema.ts";

/** Limits each address. */
const ATTEMPTS = { name: "invite", points: 10, seconds: 60 };

/** Sets an invited person's password. The link works once, and earlier sessions end. */
export async function acceptInvite(ctx: RequestContext, input: AcceptInvite): Promise<User> {
  await ctx.limits.take(ATTEMPTS, ctx.address, ctx.headers);
  const passwordHash = await hashPassword(input.password);
  const tokenHash = hashToken(input.token);
  return await transact(ctx, async (ctx) => {
    // These are two statements. The first may wait for a sign-in, and only a second statement sees
    // the session of that sign-in and ends it, too.
    const [, [user]] = await inOrder(
      ctx.db`
        select from users where id = (select user_id from invitations where token_hash = ${tokenHash}) for no key update`,
      ctx.db<User[]>`
        with used as (
          update invitations set used_at = now()
          where token_hash = ${tokenHash} and used_at is null and expires_at > now()
          returning user_id
        ), ended as (
          update sessions set revoked_at = now() where user_id = (select user_id from used) and revoked_at is null
        )
        update users set password_hash = ${passwordHash}, updated_at = now()
        where id = (select user_id from used) and deactivated_at is null
        returning ${userColumns(ctx.db)}`,
    );
    if (!user) {
      throw new AppError(
        "not_found",
        "This link was used already, has expired or is unknown: ask an admin of your account for a new one",
      );
    }
    forgetAccess(ctx);
    await recordAudit(ctx, {
      account_id: user.account_id,
      action: "user.invitation_accepted",
      target_type: "user",
      target_id: user.id,
    });
    return user;
  });
}
