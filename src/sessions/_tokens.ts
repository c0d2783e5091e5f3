import type { Context } from "../core/context.ts";
import { ACCESS_TOKEN_SECONDS, hashToken, newOpaqueToken, signAccessToken } from "../core/tokens.ts";
import { IDLE_DAYS, type TokenPair } from "./schema.ts";

/** Issues a new pair for a session. Only the hash of the refresh token is stored. */
export async function issueTokens(ctx: Context, userId: string, sessionId: string): Promise<TokenPair> {
  const refreshToken = newOpaqueToken();
  const [access_token] = await Promise.all([
    signAccessToken(ctx.secrets, userId, sessionId),
    ctx.db`
      insert into refresh_tokens (token_hash, session_id, expires_at)
      values (${hashToken(refreshToken)}, ${sessionId}::uuid, now() + make_interval(days => ${IDLE_DAYS}))`,
  ]);
  return { access_token, refresh_token: refreshToken, expires_in: ACCESS_TOKEN_SECONDS };
}
