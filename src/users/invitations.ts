import type { Context } from "../core/context.ts";
import { hashToken, newOpaqueToken } from "../core/tokens.ts";
import type { Invitation } from "./schema.ts";

const INVITE_DAYS = 7;

/** A one-time link to set a password; the only one of its user that works. Stored as its hash only. */
export async function makeInvitation(ctx: Context, userId: string): Promise<Invitation> {
  const token = newOpaqueToken();
  await voidInvitations(ctx, userId);
  const [row] = await ctx.db<[Pick<Invitation, "expires_at">]>`
    insert into invitations (token_hash, user_id, expires_at)
    values (${hashToken(token)}, ${userId}::uuid, now() + make_interval(days => ${INVITE_DAYS}))
    returning expires_at`;
  return { invite_url: `${ctx.config.PUBLIC_URL}/invite#${token}`, expires_at: row.expires_at };
}

/** Links from before the user's password, address or standing changed are nobody's way in any more. */
export async function voidInvitations(ctx: Context, userId: string): Promise<void> {
  await ctx.db`update invitations set used_at = now() where user_id = ${userId}::uuid and used_at is null`;
}
