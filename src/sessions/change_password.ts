import { recordAudit } from "../core/audit.ts";
import type { ActorContext, Context } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { forgetAccess } from "../core/forget_access.ts";
import { hashPassword, verifyPassword } from "../core/passwords.ts";
import { transact } from "../core/transact.ts";
import { voidInvitations } from "../users/invitations.ts";
import type { ChangePassword } from "./schema.ts";

/** Limits each user. */
const ATTEMPTS = { name: "password", points: 10, seconds: 300 };

/**
 * Sets a new password and ends every other session of the user, and their keys if the call asks for
 * it. The second of two simultaneous
 * calls is refused, because its password is the old one by then.
 */
export async function changePassword(ctx: ActorContext, input: ChangePassword): Promise<void> {
  await ctx.limits.take(ATTEMPTS, ctx.actor.user.id, ctx.headers);
  // The change is tried twice, because a sign-in may have renewed the hash of the same password
  // between reading and writing.
  if (!await tryChange(ctx, input) && !await tryChange(ctx, input)) throw wrongPassword();
}

/** Returns false if the stored hash is no longer the one that was compared. */
async function tryChange(ctx: ActorContext, input: ChangePassword): Promise<boolean> {
  const { user, credential } = ctx.actor;
  const [row] = await ctx.db<{ password_hash: string | null }[]>`
    select password_hash from users where id = ${user.id}::uuid`;
  const verified = row?.password_hash ?? null;
  const { matches } = await verifyPassword(verified, input.current_password);
  if (!matches) throw wrongPassword();
  const hash = await hashPassword(input.new_password);
  return await transact(ctx, async (ctx) => {
    const changed = await ctx.db`
      update users set password_hash = ${hash}, updated_at = now()
      where id = ${user.id}::uuid and password_hash = ${verified}`;
    if (changed.count === 0) return false;
    await voidInvitations(ctx, user.id);
    await ctx.db`
      update sessions set revoked_at = now()
      where user_id = ${user.id}::uuid and id <> ${credential.id}::uuid and revoked_at is null`;
    const revoked = input.revoke_keys ? await revokeKeys(ctx, user.id) : 0;
    forgetAccess(ctx);
    await recordAudit(ctx, {
      account_id: user.account_id,
      action: "user.password_changed",
      target_type: "user",
      target_id: user.id,
      details: { keys_revoked: revoked },
    });
    return true;
  });
}

/**
 * Returns the number of keys. The keys end after the sessions, so that no session can create
 * another key in between.
 */
async function revokeKeys({ db }: Context, userId: string): Promise<number> {
  const { count } = await db`
    update api_keys set revoked_at = now() where user_id = ${userId}::uuid and revoked_at is null`;
  return count;
}

function wrongPassword(): AppError {
  return new AppError("invalid_credentials", "The current password is wrong");
}
