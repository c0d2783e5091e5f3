import { recordAudit } from "../core/audit.ts";
import type { ActorContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { forgetAccess } from "../core/forget_access.ts";
import type { IdPath } from "../core/schema.ts";
import { transact } from "../core/transact.ts";
import { isManaged } from "../users/managed.ts";

/**
 * Ends one of the caller's own keys, or one of the account's for its admins. Revoking it again
 * changes nothing.
 */
export async function revokeKey(ctx: ActorContext, input: IdPath): Promise<void> {
  await transact(ctx, async (ctx) => {
    const [key] = await ctx.db<{ prefix: string; account_id: string; fresh: boolean }[]>`
      with target as (
        select k.id, k.revoked_at, u.account_id from api_keys k join users u on u.id = k.user_id
        where k.id = ${input.id}::uuid and ${isManaged(ctx)}
        for update of k
      )
      update api_keys k set revoked_at = coalesce(k.revoked_at, now()) from target t where k.id = t.id
      returning k.prefix, t.account_id, t.revoked_at is null as fresh`;
    if (!key) throw new AppError("not_found", "No such API key");
    if (!key.fresh) return;
    forgetAccess(ctx);
    await recordAudit(ctx, {
      account_id: key.account_id,
      action: "key.revoked",
      target_type: "key",
      target_id: input.id,
      details: { prefix: key.prefix },
    });
  });
}
