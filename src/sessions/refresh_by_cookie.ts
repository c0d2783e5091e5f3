import type { RequestContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { hashToken } from "../core/tokens.ts";
import { refresh } from "./refresh.ts";
import type { TokenPair } from "./schema.ts";

/**
 * The most refresh cookies that are tried. No browser keeps more cookies of one name for a site.
 */
const MOST_COOKIES = 50;

/**
 * Trades the refresh cookie for a new pair. Other applications on the domain may have set cookies
 * of the same name, so the one that can still be used counts.
 * @throws {AppError} as `refresh` does; unauthenticated if no cookie came
 */
export async function refreshByCookie(ctx: RequestContext): Promise<TokenPair> {
  const [first, ...others] = ctx.refreshCookies.slice(0, MOST_COOKIES);
  if (!first) throw new AppError("unauthenticated", "No refresh cookie came with the call");
  const token = others.length === 0 ? first : await mostUsable(ctx, [first, ...others]) ?? first;
  return await refresh(ctx, { refresh_token: token });
}

/** Returns the token that is unused or was used last, among those that were issued here. */
async function mostUsable({ db }: RequestContext, tokens: string[]): Promise<string | undefined> {
  const hashes = tokens.map((token) => Buffer.from(hashToken(token)).toString("hex"));
  const [row] = await db<{ hash: string }[]>`
    select encode(t.token_hash, 'hex') as hash from refresh_tokens t join sessions s on s.id = t.session_id
    where t.token_hash in (select decode(h, 'hex') from unnest(${hashes}::text[]) as h)
    order by (s.revoked_at is null and s.expires_at > now() and t.expires_at > now()) desc, t.used_at desc nulls first
    limit 1`;
  return row && tokens[hashes.indexOf(row.hash)];
}
