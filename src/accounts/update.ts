import type { Context } from "../core/context.ts";
import { recordAudit } from "../core/audit.ts";
import { AppError } from "../core/errors.ts";
import { transact } from "../core/history.ts";
import { slugConflict } from "./create.ts";
import type { Account, UpdateAccount } from "./schema.ts";

export async function updateAccount(ctx: Context, input: UpdateAccount): Promise<Account> {
  return await transact(ctx, async (ctx) => {
    const [account] = await ctx.db<Account[]>`
      update accounts set name = coalesce(${input.name ?? null}, name), slug = coalesce(${
      input.slug ?? null
    }, slug),
        updated_at = now()
      where id = ${input.id}::uuid
      returning id, name, slug, created_at, updated_at`;
    if (!account) throw new AppError("not_found", "No such account");
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
