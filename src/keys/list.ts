import type { ActorContext } from "../core/context.ts";
import type { ListedKey } from "./schema.ts";

/** The caller's own keys, newest first, revoked ones included. */
export async function listKeys(ctx: ActorContext): Promise<{ keys: ListedKey[]; next_cursor: null }> {
  const keys = await ctx.db<ListedKey[]>`
    select id, user_id, prefix, name, scopes, project_id, expires_at, last_used_at, revoked_at, created_at
    from api_keys where user_id = ${ctx.actor.user.id}::uuid order by id desc`;
  return { keys: [...keys], next_cursor: null };
}
