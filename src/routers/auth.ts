import { forgetSessionCookie, setRefreshCookie, setSessionCookie } from "../core/auth.ts";
import type { RequestContext } from "../core/context.ts";
import { IdPath, Page } from "../core/schema.ts";
import { changePassword } from "../sessions/change_password.ts";
import { endSession } from "../sessions/end.ts";
import { getMe } from "../sessions/get_me.ts";
import { listSessions } from "../sessions/list.ts";
import { login } from "../sessions/login.ts";
import { logout } from "../sessions/logout.ts";
import { refresh } from "../sessions/refresh.ts";
import { refreshByCookie } from "../sessions/refresh_by_cookie.ts";
import { ChangePassword, IDLE_DAYS, Login, Me, Refresh, SessionList, TokenPair } from "../sessions/schema.ts";
import { Empty, Nothing, publicProcedure, router, userProcedure } from "./trpc.ts";

/**
 * The cookie lasts as long as a refresh token, because an expired cookie that still comes along
 * tells refresh to renew it.
 */
const COOKIE_SECONDS = IDLE_DAYS * 24 * 3600;

const signedIn = { access: "user", tag: "Authentication" } as const;

export const authRouter = router({
  login: publicProcedure({
    method: "POST",
    path: "/auth/login",
    tag: "Authentication",
    summary: "Sign in",
    description: "Returns a token pair and sets the session cookie.",
    errors: ["invalid_credentials", "rate_limited"],
    example: { input: { email: "admin@localhost", password: "correct horse battery" } },
  }).input(Login).output(TokenPair).mutation(async ({ ctx, input }) => {
    const pair = await login(ctx, input);
    setSessionCookie(ctx, pair.access_token, COOKIE_SECONDS);
    return pair;
  }),

  refresh: publicProcedure({
    method: "POST",
    path: "/auth/refresh",
    tag: "Authentication",
    summary: "Refresh an access token",
    description:
      "Also renews the session cookie if the request has one, and removes the cookie if the session has ended.",
    errors: ["unauthenticated", "token_expired", "token_reused", "rate_limited"],
    example: { input: { refresh_token: "Zm9yIHRoZSBkb2N1bWVudHMgb25seSwgbm8gdG9rZW4" } },
  }).input(Refresh).output(TokenPair).mutation(async ({ ctx, input }) => {
    const pair = await refresh(ctx, input);
    if (ctx.hasCookie) setSessionCookie(ctx, pair.access_token, COOKIE_SECONDS);
    return pair;
  }),

  startSession: publicProcedure({
    method: "POST",
    path: "/auth/session",
    tag: "Authentication",
    status: 204,
    summary: "Sign a browser in",
    description:
      "Sets the session cookie and a refresh cookie, which scripts can't read. The answer holds no token.",
    errors: ["invalid_credentials", "csrf", "rate_limited"],
    example: { input: { email: "admin@localhost", password: "correct horse battery" } },
  }).input(Login).output(Nothing).mutation(async ({ ctx, input }) => {
    ctx.refuseCrossSite();
    setCookies(ctx, await login(ctx, input));
  }),

  renewSession: publicProcedure({
    method: "POST",
    path: "/auth/session/renew",
    tag: "Authentication",
    status: 204,
    summary: "Renew a browser's session",
    description:
      "Takes the refresh cookie and sets both cookies again. Call it below /api, because browsers send the " +
      "refresh cookie to no other path.",
    errors: ["unauthenticated", "token_expired", "token_reused", "csrf", "rate_limited"],
  }).input(Empty).output(Nothing).mutation(async ({ ctx }) => {
    ctx.refuseCrossSite();
    setCookies(ctx, await refreshByCookie(ctx));
  }),

  logout: userProcedure({
    ...signedIn,
    method: "POST",
    path: "/auth/logout",
    status: 204,
    summary: "End this session",
  })
    .input(Empty).output(Nothing).mutation(async ({ ctx }) => {
      await logout(ctx);
      forgetSessionCookie(ctx);
      if (ctx.hasCookie) setRefreshCookie(ctx, "", 0);
    }),

  me: userProcedure({
    ...signedIn,
    method: "GET",
    path: "/auth/me",
    scope: "tickets:read",
    summary: "Who am I",
    errors: ["not_found"],
  }).input(Empty).output(Me).query(({ ctx }) => getMe(ctx)),

  sessions: userProcedure({ ...signedIn, method: "GET", path: "/auth/sessions", summary: "List my sessions" })
    .input(Page).output(SessionList).query(({ ctx, input }) => listSessions(ctx, input)),

  endSession: userProcedure({
    ...signedIn,
    method: "DELETE",
    path: "/auth/sessions/{id}",
    status: 204,
    summary: "End a session",
    errors: ["not_found"],
  }).input(IdPath).output(Nothing).mutation(async ({ ctx, input }) => {
    await endSession(ctx, input);
    const { credential } = ctx.actor;
    if (credential.type === "session" && credential.id === input.id) forgetSessionCookie(ctx);
  }),

  changePassword: userProcedure({
    ...signedIn,
    method: "POST",
    path: "/auth/password",
    status: 204,
    summary: "Change my password",
    description:
      "Also ends every other session of the caller. API keys stay valid unless `revoke_keys` is true.",
    errors: ["invalid_credentials", "rate_limited"],
    example: { input: { current_password: "correct horse battery", new_password: "another horse battery" } },
  }).input(ChangePassword).output(Nothing).mutation(({ ctx, input }) => changePassword(ctx, input)),
});

function setCookies(ctx: RequestContext, { access_token, refresh_token }: TokenPair): void {
  setSessionCookie(ctx, access_token, COOKIE_SECONDS);
  setRefreshCookie(ctx, refresh_token, COOKIE_SECONDS);
}
