import { recordAudit } from "../core/audit.ts";
import type { ActorContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { forgetAccess } from "../core/forget_access.ts";
import type { IdPath } from "../core/schema.ts";
import { transact } from "../core/transact.ts";
import { isManaged } from "../users/managed.ts";

/**
 * Ends one of the caller's own sessions, or one of the account's for its admins. Ending it again
 * changes nothing.
 */
export async function endSession(ctx: ActorContext, input: IdPath): Promise<void> {
  await transact(ctx, async (ctx) => {
    const [session] = await ctx.db<{ account_id: string; fresh: boolean }[]>`
      with target as (
        select s.id, s.revoked_at, u.account_id from sessions s join users u on u.id = s.user_id
        where s.id = ${input.id}::uuid and ${isManaged(ctx)}
        for update of s
      )
      update sessions s set revoked_at = coalesce(s.revoked_at, now()) from target t where s.id = t.id
      returning t.account_id, t.revoked_at is null as fresh`;
    if (!session) throw new AppError("not_found", "No such session");
    if (!session.fresh) return;
    forgetAccess(ctx);
    await recordAudit(ctx, {
      account_id: session.account_id,
      action: "session.ended",
      target_type: "session",
      target_id: input.id,
    });
  });
}
