import type { Context } from "../core/context.ts";
import { recordAudit } from "../core/audit.ts";
import { transact } from "../core/transact.ts";
import { accountColumns, slugConflict } from "./_rows.ts";
import { getAccount } from "./get.ts";
import type { Account, UpdateAccount } from "./schema.ts";

/**
 * Changes an account. Values that it already has are not written.
 * @throws {AppError} not_found, conflict
 */
export async function updateAccount(ctx: Context, input: UpdateAccount): Promise<Account> {
  const { id, name = null, slug = null } = input;
  return await transact(ctx, async (ctx) => {
    const [account] = await ctx.db<Account[]>`
      update accounts set name = coalesce(${name}, name), slug = coalesce(${slug}, slug), updated_at = now()
      where id = ${id}::uuid and (name, slug) <> (coalesce(${name}, name), coalesce(${slug}, slug))
      returning ${accountColumns(ctx.db)}`;
    if (!account) return await getAccount(ctx, input);
    await recordAudit(ctx, {
      account_id: account.id,
      action: "account.updated",
      target_type: "account",
      target_id: account.id,
      details: { name: input.name, slug: input.slug },
    });
    return account;
  }).catch((error: unknown) => {
    throw slugConflict(error, input.slug);
  });
}
