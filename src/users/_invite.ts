import type { Context } from "../core/context.ts";
import { hashToken, newOpaqueToken } from "../core/tokens.ts";

const INVITE_DAYS = 7;

/** A one-time link to set a password; links from before work no more. Stored as its hash only. */
export async function makeInvitation(
  ctx: Context,
  userId: string,
): Promise<{ invite_url: string; expires_at: string }> {
  const token = newOpaqueToken();
  const [row] = await ctx.db<[{ expires_at: string }]>`
    with voided as (
      update invitations set used_at = now() where user_id = ${userId}::uuid and used_at is null
    )
    insert into invitations (token_hash, user_id, expires_at)
    values (${hashToken(token)}, ${userId}::uuid, now() + make_interval(days => ${INVITE_DAYS}))
    returning expires_at`;
  return { invite_url: `${ctx.config.PUBLIC_URL}/invite#${token}`, expires_at: row.expires_at };
}
