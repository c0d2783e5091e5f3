import type { Context } from "../core/context.ts";
import { afterId, page } from "../core/cursor.ts";
import { pageLimit } from "../core/planner.ts";
import type { Page } from "../core/schema.ts";
import { accountColumns } from "./_rows.ts";
import type { Account } from "./schema.ts";

/** Returns all accounts of the installation, oldest first. */
export async function listAccounts(ctx: Context, input: Page) {
  const rows = await ctx.db<Account[]>`
    select ${accountColumns(ctx.db)} from accounts
    where true ${afterId(ctx.db, "id", input.cursor)}
    order by id limit ${pageLimit(ctx.db, input.limit)}`;
  const { items, next_cursor } = page(rows, input.limit, (row) => [row.id]);
  return { accounts: items, next_cursor };
}
