import type { ActorContext } from "../core/context.ts";
import { afterId, page } from "../core/cursor.ts";
import { pageLimit } from "../core/planner.ts";
import type { Page } from "../core/schema.ts";
import { managedUserId } from "../users/managed.ts";
import type { ListedKey } from "./schema.ts";

/**
 * Returns the caller's own keys, or those of a user whom the caller manages; newest first,
 * including revoked keys.
 */
export async function listKeys(ctx: ActorContext, input: Page & { id?: string }) {
  const userId = await managedUserId(ctx, input.id);
  const rows = await ctx.db<ListedKey[]>`
    select id, user_id, prefix, name, scopes, project_id, expires_at, last_used_at, revoked_at, created_at
    from api_keys where user_id = ${userId}::uuid ${afterId(ctx.db, "id", input.cursor, "desc")}
    order by id desc limit ${pageLimit(ctx.db, input.limit)}`;
  const { items, next_cursor } = page(rows, input.limit, ({ id }) => [id]);
  return { keys: items, next_cursor };
}
