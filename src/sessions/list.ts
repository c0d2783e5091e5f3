import type { ActorContext } from "../core/context.ts";
import type { IdPath } from "../core/schema.ts";
import { findManagedUser } from "../users/managed.ts";
import { IDLE_DAYS, type Session } from "./schema.ts";

interface Sessions {
  sessions: Session[];
  next_cursor: null;
}

/** The caller's live sessions, newest first. */
export async function listSessions(ctx: ActorContext): Promise<Sessions> {
  return await readSessions(ctx, ctx.actor.user.id);
}

/** The same of a user whom the caller manages. */
export async function listUserSessions(ctx: ActorContext, input: IdPath): Promise<Sessions> {
  const user = await findManagedUser(ctx, input.id);
  return await readSessions(ctx, user.id);
}

async function readSessions(ctx: ActorContext, userId: string): Promise<Sessions> {
  const sessions = await ctx.db<Session[]>`
    select id, user_agent, address, created_at, last_used_at, expires_at, id = ${ctx.actor.credential.id}::uuid as current
    from sessions
    where user_id = ${userId}::uuid and revoked_at is null and expires_at > now()
      and last_used_at > now() - make_interval(days => ${IDLE_DAYS})
    order by id desc`;
  return { sessions: [...sessions], next_cursor: null };
}
