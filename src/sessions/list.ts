import type { ActorContext } from "../core/context.ts";
import { afterId, page } from "../core/cursor.ts";
import { pageLimit } from "../core/planner.ts";
import type { Page } from "../core/schema.ts";
import { managedUserId } from "../users/managed.ts";
import { IDLE_DAYS, type Session } from "./schema.ts";

/** Returns the live sessions of the caller, or of a user whom the caller manages; newest first. */
export async function listSessions(ctx: ActorContext, input: Page & { id?: string }) {
  const userId = await managedUserId(ctx, input.id);
  const rows = await ctx.db<Session[]>`
    select id, user_agent, address, created_at, last_used_at, expires_at, id = ${ctx.actor.credential.id}::uuid as current
    from sessions
    where user_id = ${userId}::uuid and revoked_at is null and expires_at > now()
      and last_used_at > now() - make_interval(days => ${IDLE_DAYS}) ${
    afterId(ctx.db, "id", input.cursor, "desc")
  }
    order by id desc limit ${pageLimit(ctx.db, input.limit)}`;
  const { items, next_cursor } = page(rows, input.limit, ({ id }) => [id]);
  return { sessions: items, next_cursor };
}
