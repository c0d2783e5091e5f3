import type { ActorContext } from "../core/context.ts";
import type { Session } from "./schema.ts";

/** The caller's live sessions, newest first. */
export async function listSessions(ctx: ActorContext): Promise<{ sessions: Session[]; next_cursor: null }> {
  const sessions = await ctx.db<Session[]>`
    select id, user_agent, address, created_at, last_used_at, expires_at, id = ${ctx.actor.credential.id}::uuid as current
    from sessions where user_id = ${ctx.actor.user.id}::uuid and revoked_at is null and expires_at > now()
    order by id desc`;
  return { sessions: [...sessions], next_cursor: null };
}
