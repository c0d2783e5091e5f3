import { namedAccount } from "../core/access.ts";
import type { ActorContext } from "../core/context.ts";
import { afterId, page } from "../core/cursor.ts";
import { pageLimit } from "../core/planner.ts";
import { wordBegins } from "../core/word_begins.ts";
import { userColumns } from "./_rows.ts";
import type { ListUsers, User } from "./schema.ts";

/** Returns the users of the caller's account, or of another one for super admins; oldest first. */
export async function listUsers(ctx: ActorContext, input: ListUsers) {
  const accountId = namedAccount(ctx.actor, input.account_id, "list another account's users");
  const { db } = ctx;
  const { q, deactivated = null } = input;
  const rows = await db<User[]>`
    select ${userColumns(db)} from users
    where account_id = ${accountId}::uuid
      and ${wordBegins(db, db`name || ' ' || email`, q)}
      and (${deactivated}::boolean is null or (deactivated_at is not null) = ${deactivated}::boolean)
      ${afterId(db, "id", input.cursor)}
    order by id limit ${pageLimit(db, input.limit)}`;
  const { items, next_cursor } = page(rows, input.limit, (row) => [row.id]);
  return { users: items, next_cursor };
}
