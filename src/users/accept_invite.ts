import { recordAudit } from "../core/audit.ts";
import type { RequestContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { transact } from "../core/history.ts";
import { hashPassword } from "../core/passwords.ts";
import { hashToken } from "../core/tokens.ts";
import { userColumns } from "./_rows.ts";
import type { AcceptInvite, User } from "./schema.ts";

/** Sets an invited person's first password; the link works once. */
export async function acceptInvite(ctx: RequestContext, input: AcceptInvite): Promise<User> {
  await ctx.limits.take("invite", { points: 10, seconds: 60 }, ctx.address, ctx.headers);
  const passwordHash = await hashPassword(input.password);
  return await transact(ctx, async (ctx) => {
    const [user] = await ctx.db<User[]>`
      with used as (
        update invitations set used_at = now()
        where token_hash = ${hashToken(input.token)} and used_at is null and expires_at > now()
        returning user_id
      )
      update users set password_hash = ${passwordHash}, updated_at = now()
      where id = (select user_id from used) and deactivated_at is null
      returning ${userColumns(ctx.db)}`;
    if (!user) throw new AppError("not_found", "The invitation is unknown, used or expired");
    await recordAudit(ctx, {
      account_id: user.account_id,
      action: "user.invitation_accepted",
      target_type: "user",
      target_id: user.id,
    });
    return user;
  });
}
