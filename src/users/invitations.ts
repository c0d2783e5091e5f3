import type { Context } from "../core/context.ts";
import { hashToken, newOpaqueToken } from "../core/tokens.ts";
import type { Invitation } from "./schema.ts";

const INVITE_DAYS = 7;

/**
 * Makes a one-time link to set a password. It is the only link of its user that works, and only its
 * hash is stored.
 */
export async function makeInvitation(ctx: Context, userId: string): Promise<Invitation> {
  const token = newOpaqueToken();
  await voidInvitations(ctx, userId);
  const [row] = await ctx.db<[Pick<Invitation, "expires_at">]>`
    insert into invitations (token_hash, user_id, expires_at)
    values (${hashToken(token)}, ${userId}::uuid, now() + make_interval(days => ${INVITE_DAYS}))
    returning expires_at`;
  return { invite_url: `${ctx.config.PUBLIC_URL}/invite#${token}`, expires_at: row.expires_at };
}

/** Makes links invalid that are older than a change of the user's password, address or standing. */
export async function voidInvitations(ctx: Context, userId: string): Promise<void> {
  await ctx.db`update invitations set used_at = now() where user_id = ${userId}::uuid and used_at is null`;
}
