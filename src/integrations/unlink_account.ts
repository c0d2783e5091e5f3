import { recordAudit } from "../core/audit.ts";
import type { ActorContext } from "../core/context.ts";
import { transact } from "../core/transact.ts";

/**
 * Deletes the caller's token. The hooks that were created with it stay. Unlinking again changes
 * nothing.
 */
export async function unlinkAccount(ctx: ActorContext): Promise<void> {
  const { user } = ctx.actor;
  await transact(ctx, async (ctx) => {
    const [removed] = await ctx.db<{ login: string }[]>`
      delete from code_hosting_accounts where user_id = ${user.id}::uuid returning login`;
    if (!removed) return;
    await recordAudit(ctx, {
      account_id: user.account_id,
      action: "code_hosting.unlinked",
      target_type: "user",
      target_id: user.id,
      details: removed,
    });
  });
}
