import type { z } from "zod";
import type { ActorContext } from "../core/context.ts";
import { findManagedUser } from "../users/managed.ts";
import { IDLE_DAYS, type Session, type SessionList } from "./schema.ts";

/** The live sessions of the caller, or of a user whom the caller manages; newest first. */
export async function listSessions(
  ctx: ActorContext,
  { id }: { id?: string },
): Promise<z.infer<typeof SessionList>> {
  const userId = id === undefined ? ctx.actor.user.id : (await findManagedUser(ctx, id)).id;
  const sessions = await ctx.db<Session[]>`
    select id, user_agent, address, created_at, last_used_at, expires_at, id = ${ctx.actor.credential.id}::uuid as current
    from sessions
    where user_id = ${userId}::uuid and revoked_at is null and expires_at > now()
      and last_used_at > now() - make_interval(days => ${IDLE_DAYS})
    order by id desc`;
  return { sessions: [...sessions], next_cursor: null };
}
