import type { Context } from "../core/context.ts";
import { decodeCursor, page } from "../core/cursor.ts";
import type { Page } from "../core/schema.ts";
import type { Account } from "./schema.ts";

/** All accounts of the installation, oldest first. */
export async function listAccounts(ctx: Context, input: Page) {
  const after = input.cursor ? String(decodeCursor(input.cursor, ["id"])[0]) : null;
  const rows = await ctx.db<Account[]>`
    select id, name, slug, created_at, updated_at from accounts
    where ${after}::uuid is null or id > ${after}::uuid
    order by id limit ${input.limit + 1}`;
  const { items, next_cursor } = page(rows, input.limit, (row) => [row.id]);
  return { accounts: items, next_cursor };
}
