import type { Actor, RequestContext, Services, User } from "./context.ts";
import { AppError } from "./errors.ts";
import type { Scope } from "./schema.ts";
import { hashToken, isApiKey, UnknownToken, verifyAccessToken } from "./tokens.ts";

/**
 * A cookie's names. The service sets the first one and still accepts the others, which are former
 * names.
 */
type CookieNames = readonly [name: string, ...former: string[]];

/**
 * Holds the access token. Browsers accept a cookie with this prefix only from this very host and
 * only over https, so no other host of the domain can set it.
 */
export function sessionCookie(publicUrl: string): CookieNames {
  return isSecure(publicUrl) ? ["__Host-session", "session"] : ["session"];
}

/**
 * Holds the refresh token of a browser's session. This cookie has a path of its own, which the
 * prefix above would not allow.
 */
export function refreshCookie(publicUrl: string): CookieNames {
  return isSecure(publicUrl) ? ["__Secure-refresh", "refresh"] : ["refresh"];
}

function isSecure(publicUrl: string): boolean {
  return publicUrl.startsWith("https:");
}

/**
 * Adds a session cookie to the answer. An empty value for 0 seconds removes the browser's cookie.
 */
export function setSessionCookie(ctx: RequestContext, value: string, seconds: number): void {
  setCookie(ctx, sessionCookie(ctx.config.PUBLIC_URL), { value, seconds, scope: "SameSite=Lax; Path=/" });
}

/**
 * Removes the session cookie of a caller who sent one, because the cookie is of no use any more.
 */
export function forgetSessionCookie(ctx: RequestContext): void {
  if (ctx.hasCookie) setSessionCookie(ctx, "", 0);
}

/** The only path to which browsers send the refresh cookie. */
const REFRESH_PATH = "/api/auth/session";

/**
 * Adds a refresh cookie to the answer. An empty value for 0 seconds removes the browser's cookie.
 */
export function setRefreshCookie(ctx: RequestContext, value: string, seconds: number): void {
  const scope = `SameSite=Strict; Path=${REFRESH_PATH}`;
  setCookie(ctx, refreshCookie(ctx.config.PUBLIC_URL), { value, seconds, scope });
}

/**
 * Also removes a cookie of the former name, so that it outlives neither a renewal nor a sign-out.
 */
function setCookie(
  { config, headers }: RequestContext,
  [name, ...former]: CookieNames,
  { value, seconds, scope }: { value: string; seconds: number; scope: string },
): void {
  const secure = isSecure(config.PUBLIC_URL) ? "; Secure" : "";
  const set = (name: string, value: string, seconds: number) =>
    headers.append("Set-Cookie", `${name}=${value}; HttpOnly; ${scope}; Max-Age=${seconds}${secure}`);
  for (const name of former) set(name, "", 0);
  set(name, value, seconds);
}

/** The parts of a request that tell who calls. */
interface Credentials {
  method: string;
  headers: Headers;
  /** Values of all session cookies. */
  cookies: readonly string[];
  address: string;
  /** The number of calls in the request, because a batch has several. */
  calls: number;
  /** Header fields of the answer, for the rate limits of keys. */
  answer: Headers;
}

const KEY_LIMIT = { name: "key", points: 12_000, seconds: 60 };
const REFUSED_KEY_LIMIT = { name: "refused-key", points: 60, seconds: 60 };

/**
 * Matches the scheme Bearer, also where something other than a blank follows, such as `Bearer:`. The
 * excluded characters may be in a scheme's name.
 */
const IS_BEARER = /(?:^|,)\s*Bearer(?![\w!#$%&'*+.^`|~-])/i;

/** The most cookies of one name that are looked at. No browser keeps more of them for a site. */
const MOST_COOKIES = 200;

/**
 * Identifies the caller. A Bearer credential wins over a cookie. A credential of another scheme is
 * ignored, because it is meant for a proxy in between. Returns null if the request has no
 * credential that was ever issued here.
 * @throws {AppError} unauthenticated, token_expired, csrf, rate_limited
 */
export async function authenticate(services: Services, credentials: Credentials): Promise<Actor | null> {
  const { method, headers, cookies } = credentials;
  const header = headers.get("authorization") ?? "";
  if (IS_BEARER.test(header)) {
    const token = /^Bearer +([!-~]+)$/i.exec(header)?.[1];
    if (!token) {
      throw new AppError("unauthenticated", "The Authorization header must be: Bearer <credential>");
    }
    return token.startsWith("hk_")
      ? await limitedKeyActor(services, token, credentials)
      : await sessionActor(services, token, "bearer");
  }
  const actor = await cookieActor(services, new Set(cookies.slice(0, MOST_COOKIES)));
  if (actor) refuseCrossSite(services, method, headers);
  return actor;
}

/**
 * Returns the owner of the session that the first valid cookie names. Other applications on the
 * domain may have set cookies of the same name, so a cookie that was not issued here is no
 * credential.
 * @throws {AppError} the refusal of an ended session's cookie when no cookie is valid
 */
async function cookieActor(services: Services, cookies: Iterable<string>): Promise<Actor | null> {
  const refusals: AppError[] = [];
  for (const cookie of cookies) {
    try {
      return await sessionActor(services, cookie, "cookie");
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (!(error instanceof UnknownToken)) refusals.push(error);
    }
  }
  // An expired token tells its client that a refresh helps.
  const refusal = refusals.find(({ code }) => code === "token_expired") ?? refusals[0];
  if (refusal) throw refusal;
  return null;
}

/**
 * Refuses a request that another site started, because browsers send a cookie along with it.
 * Clients that are no browser send neither field.
 * @throws {AppError} csrf
 */
export function refuseCrossSite(
  { config }: Pick<Services, "config">,
  method: string,
  headers: Headers,
): void {
  if (method === "GET" || method === "HEAD") return;
  const origin = headers.get("origin");
  if (origin !== null) {
    if (origin === config.PUBLIC_URL || config.CORS_ORIGINS.includes(origin)) return;
    const named = origin.slice(0, 200);
    throw new AppError(
      "csrf",
      `A cookie-authenticated write was refused: ${named} is neither PUBLIC_URL nor one of CORS_ORIGINS`,
    );
  }
  const site = headers.get("sec-fetch-site");
  if (site !== null && site !== "same-origin" && site !== "none") throw new AppError("csrf");
}

async function sessionActor(services: Services, token: string, via: "bearer" | "cookie"): Promise<Actor> {
  const found = await services.access.get(`session:${token}`, async (sql) => {
    const { sessionId, userId, expiresAt } = await verifyAccessToken(services.secrets, token);
    const [user] = await sql<User[]>`
      select u.id, u.email, u.name, u.kind, u.role, u.account_id
      from sessions s join users u on u.id = s.user_id
      where s.id = ${sessionId}::uuid and u.id = ${userId}::uuid and s.revoked_at is null and s.expires_at > now()
        and u.deactivated_at is null`;
    if (!user) throw new AppError("unauthenticated", "The session has ended");
    return { user, sessionId, expiresAt };
  });
  // The cached entry may outlive the token by a moment.
  if (found.expiresAt * 1000 <= Date.now()) throw new AppError("token_expired");
  return { user: found.user, credential: { type: "session", id: found.sessionId, via } };
}

/**
 * Counts each call against its key. A refused call is counted against its address, so that nobody
 * can guess keys.
 */
async function limitedKeyActor(services: Services, key: string, credentials: Credentials): Promise<Actor> {
  const { address, answer, calls } = credentials;
  try {
    const actor = await keyActor(services, key);
    await services.limits.takeRoughly(KEY_LIMIT, actor.credential.id, answer, calls);
    return actor;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "unauthenticated") throw error;
    await services.limits.takeRoughly(REFUSED_KEY_LIMIT, address, answer);
    throw error;
  }
}

type KeyRow = User & {
  key_id: string;
  scopes: Scope[];
  project_id: string | null;
  expires_at: string | null;
};

async function keyActor(services: Services, key: string): Promise<Actor> {
  const refused = () => new AppError("unauthenticated", "The API key is unknown, revoked or expired");
  if (!isApiKey(key)) throw refused();
  const row = await services.access.get(`key:${key}`, async (sql) => {
    // last_used_at is written at most once a minute, so that most reads write nothing.
    const [found] = await sql<KeyRow[]>`
      with found as (
        select k.id as key_id, k.scopes, k.project_id, k.expires_at, k.last_used_at, u.id, u.email, u.name, u.kind, u.role,
          u.account_id
        from api_keys k join users u on u.id = k.user_id
        where k.key_hash = ${
      hashToken(key)
    } and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
          and u.deactivated_at is null
      ), touched as (
        update api_keys k set last_used_at = now() from found f
        where k.id = f.key_id and (f.last_used_at is null or f.last_used_at < now() - interval '1 minute')
      )
      select key_id, scopes, project_id, expires_at, id, email, name, kind, role, account_id from found`;
    if (!found) throw refused();
    return found;
  });
  if (row.expires_at !== null && Date.parse(row.expires_at) <= Date.now()) throw refused();
  const { key_id, scopes, project_id, expires_at: _, ...user } = row;
  return { user, credential: { type: "key", id: key_id, scopes, project_id } };
}
