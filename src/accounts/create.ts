import { v7 as uuid } from "uuid";
import { recordAudit } from "../core/audit.ts";
import type { Context } from "../core/context.ts";
import { transact } from "../core/transact.ts";
import { accountColumns, slugConflict } from "./_rows.ts";
import type { Account, CreateAccount } from "./schema.ts";

export async function createAccount(ctx: Context, input: CreateAccount): Promise<Account> {
  return await transact(ctx, async (ctx) => {
    const [account] = await ctx.db<[Account]>`
      insert into accounts (id, name, slug) values (${uuid()}::uuid, ${input.name}, ${input.slug})
      returning ${accountColumns(ctx.db)}`;
    await recordAudit(ctx, {
      account_id: account.id,
      action: "account.created",
      target_type: "account",
      target_id: account.id,
      details: { name: account.name, slug: account.slug },
    });
    return account;
  }).catch((error: unknown) => {
    throw slugConflict(error, input.slug);
  });
}
