import { recordAudit } from "../core/audit.ts";
import { forgetSessionCookie } from "../core/auth.ts";
import type { RequestContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { forgetAccess } from "../core/forget_access.ts";
import { hashToken } from "../core/tokens.ts";
import { transact } from "../core/transact.ts";
import { issueTokens } from "./_tokens.ts";
import type { Refresh, TokenPair } from "./schema.ts";

/**
 * The seconds in which a rotated token may be used once more, by a second tab or after a lost
 * answer.
 */
const REUSE_SECONDS = 30;

interface Rotated {
  session_id: string;
  user_id: string;
}

/**
 * Trades a refresh token for a new pair. One conditional update rotates it; a later reuse ends the
 * whole session.
 * @throws {AppError} rate_limited, token_reused, token_expired, unauthenticated
 */
export async function refresh(ctx: RequestContext, input: Refresh): Promise<TokenPair> {
  await ctx.limits.take({ name: "refresh", ...ctx.config.RATE_LIMIT_REFRESH }, ctx.address, ctx.headers);
  const hash = hashToken(input.refresh_token);
  const pair = await transact(ctx, async (ctx) => {
    const [rotated] = await ctx.db<Rotated[]>`
      with token as (
        update refresh_tokens t set used_at = coalesce(t.used_at, now()) from sessions s, users u
        where t.token_hash = ${hash} and t.expires_at > now()
          and (t.used_at is null or t.used_at > now() - make_interval(secs => ${REUSE_SECONDS}))
          and s.id = t.session_id and s.revoked_at is null and s.expires_at > now()
          and u.id = s.user_id and u.deactivated_at is null
        returning t.session_id
      )
      update sessions s set last_used_at = now() from token t
      where s.id = t.session_id and s.revoked_at is null
      returning s.id as session_id, s.user_id`;
    return rotated ? await issueTokens(ctx, rotated.user_id, rotated.session_id) : null;
  });
  if (pair) return pair;
  throw await refusal(ctx, hash);
}

async function refusal(ctx: RequestContext, hash: Uint8Array): Promise<AppError> {
  const [token] = await ctx.db<{ reused: boolean; expired: boolean; revoked: boolean; session_id: string }[]>`
    select t.session_id, s.revoked_at is not null as revoked,
      coalesce(t.used_at <= now() - make_interval(secs => ${REUSE_SECONDS}), false) as reused,
      t.expires_at <= now() or s.expires_at <= now() as expired
    from refresh_tokens t join sessions s on s.id = t.session_id where t.token_hash = ${hash}`;
  if (!token) return new AppError("unauthenticated", "The refresh token is unknown");
  forgetSessionCookie(ctx);
  if (token.reused) {
    if (!token.revoked) await endFamily(ctx, token.session_id);
    return new AppError("token_reused");
  }
  if (token.expired) return new AppError("token_expired", "The refresh token has expired");
  return new AppError("unauthenticated", "The session has ended");
}

async function endFamily(ctx: RequestContext, sessionId: string): Promise<void> {
  await transact(ctx, async (ctx) => {
    const [ended] = await ctx.db<{ account_id: string; user_id: string }[]>`
      update sessions s set revoked_at = now() from users u
      where s.id = ${sessionId}::uuid and s.revoked_at is null and u.id = s.user_id
      returning u.account_id, s.user_id`;
    if (!ended) return;
    forgetAccess(ctx);
    await recordAudit(ctx, {
      account_id: ended.account_id,
      action: "session.token_reused",
      target_type: "session",
      target_id: sessionId,
      details: { user_id: ended.user_id, address: ctx.address },
    });
  });
}
