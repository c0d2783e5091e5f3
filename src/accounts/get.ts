import type { Context } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import type { IdPath } from "../core/schema.ts";
import { accountColumns } from "./_rows.ts";
import type { Account } from "./schema.ts";

export async function getAccount(ctx: Context, input: IdPath): Promise<Account> {
  const [account] = await ctx.db<Account[]>`
    select ${accountColumns(ctx.db)} from accounts where id = ${input.id}::uuid`;
  if (!account) throw new AppError("not_found", "No such account");
  return account;
}
