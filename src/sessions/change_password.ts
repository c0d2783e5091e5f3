import { recordAudit } from "../core/audit.ts";
import type { ActorContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { transact } from "../core/history.ts";
import { hashPassword, verifyPassword } from "../core/passwords.ts";
import type { ChangePassword } from "./schema.ts";

/** Sets a new password and ends every other session of the user. */
export async function changePassword(ctx: ActorContext, input: ChangePassword): Promise<void> {
  const { user, credential } = ctx.actor;
  await ctx.limits.take("password", { points: 10, seconds: 300 }, user.id, ctx.headers);
  const [row] = await ctx.db<{ password_hash: string | null }[]>`
    select password_hash from users where id = ${user.id}::uuid`;
  if (!await verifyPassword(row?.password_hash ?? null, input.current_password)) {
    throw new AppError("invalid_credentials", "The current password is wrong");
  }
  const hash = await hashPassword(input.new_password);
  await transact(ctx, async (ctx) => {
    await ctx.db`update users set password_hash = ${hash}, updated_at = now() where id = ${user.id}::uuid`;
    await ctx.db`
      update sessions set revoked_at = now()
      where user_id = ${user.id}::uuid and id <> ${credential.id}::uuid and revoked_at is null`;
    await recordAudit(ctx, {
      account_id: user.account_id,
      action: "user.password_changed",
      target_type: "user",
      target_id: user.id,
    });
  });
  ctx.access.clear();
}
