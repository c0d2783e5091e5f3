import type { ActorContext } from "../core/context.ts";
import type { IdPath } from "../core/schema.ts";
import { findManagedUser } from "../users/managed.ts";
import type { ListedKey } from "./schema.ts";

interface Keys {
  keys: ListedKey[];
  next_cursor: null;
}

/** The caller's own keys, newest first, revoked ones included. */
export async function listKeys(ctx: ActorContext): Promise<Keys> {
  return await readKeys(ctx, ctx.actor.user.id);
}

/** The same of a user whom the caller manages. */
export async function listUserKeys(ctx: ActorContext, input: IdPath): Promise<Keys> {
  const user = await findManagedUser(ctx, input.id);
  return await readKeys(ctx, user.id);
}

async function readKeys(ctx: ActorContext, userId: string): Promise<Keys> {
  const keys = await ctx.db<ListedKey[]>`
    select id, user_id, prefix, name, scopes, project_id, expires_at, last_used_at, revoked_at, created_at
    from api_keys where user_id = ${userId}::uuid order by id desc`;
  return { keys: [...keys], next_cursor: null };
}
