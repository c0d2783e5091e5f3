import { v7 as uuid } from "uuid";
import { isUniqueViolation } from "../../db/errors.ts";
import { recordAudit } from "../core/audit.ts";
import type { Context } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { transact } from "../core/transact.ts";
import type { Account, CreateAccount } from "./schema.ts";

export async function createAccount(ctx: Context, input: CreateAccount): Promise<Account> {
  return await transact(ctx, async (ctx) => {
    const [account] = await ctx.db<[Account]>`
      insert into accounts (id, name, slug) values (${uuid()}::uuid, ${input.name}, ${input.slug})
      returning id, name, slug, created_at, updated_at`;
    await recordAudit(ctx, {
      account_id: account.id,
      action: "account.created",
      target_type: "account",
      target_id: account.id,
    });
    return account;
  }).catch((error: unknown) => {
    throw slugConflict(error, input.slug);
  });
}

/** The named error for a slug that another account has; any other error as it is. */
export function slugConflict(error: unknown, slug: string | undefined): unknown {
  if (!isUniqueViolation(error, "accounts_slug_key")) return error;
  return new AppError("conflict", `Another account has the slug ${slug}`, { cause: error });
}
