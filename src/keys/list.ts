import type { z } from "zod";
import type { ActorContext } from "../core/context.ts";
import { findManagedUser } from "../users/managed.ts";
import type { KeyList, ListedKey } from "./schema.ts";

/** The caller's own keys, or those of a user whom the caller manages; newest first, revoked ones included. */
export async function listKeys(ctx: ActorContext, { id }: { id?: string }): Promise<z.infer<typeof KeyList>> {
  const userId = id === undefined ? ctx.actor.user.id : (await findManagedUser(ctx, id)).id;
  const keys = await ctx.db<ListedKey[]>`
    select id, user_id, prefix, name, scopes, project_id, expires_at, last_used_at, revoked_at, created_at
    from api_keys where user_id = ${userId}::uuid order by id desc`;
  return { keys: [...keys], next_cursor: null };
}
