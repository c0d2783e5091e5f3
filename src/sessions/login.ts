import { v7 as uuid } from "uuid";
import { recordAudit } from "../core/audit.ts";
import type { RequestContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { transact } from "../core/history.ts";
import { verifyPassword } from "../core/passwords.ts";
import { ABSOLUTE_DAYS, issueTokens } from "./_tokens.ts";
import type { Login, TokenPair } from "./schema.ts";

interface Candidate {
  id: string;
  name: string;
  account_id: string;
  password_hash: string | null;
}

/**
 * Starts a session. Attempts are counted by address and by email, so that neither one address nor many can guess on.
 * @throws {AppError} invalid_credentials, the same for an unknown email, a wrong password and a deactivated user
 */
export async function login(ctx: RequestContext, input: Login): Promise<TokenPair> {
  await ctx.limits.take("login-email", { points: 10, seconds: 300 }, input.email.toLowerCase(), ctx.headers);
  await ctx.limits.take("login", { points: 30, seconds: 60 }, ctx.address, ctx.headers);
  const [user] = await ctx.db<Candidate[]>`
    select id, name, account_id, password_hash from users
    where lower(email) = lower(${input.email}) and deactivated_at is null`;
  if (!await verifyPassword(user?.password_hash ?? null, input.password) || !user) {
    if (user) await recordAudit(ctx, failedSignIn(user));
    throw new AppError("invalid_credentials");
  }
  return await transact({ ...ctx, author: { kind: "user", id: user.id, name: user.name } }, async (ctx) => {
    const sessionId = uuid();
    await ctx.db`
      insert into sessions (id, user_id, user_agent, address, expires_at)
      values (${sessionId}::uuid, ${user.id}::uuid, ${ctx.userAgent}, ${ctx.address},
        now() + make_interval(days => ${ABSOLUTE_DAYS}))`;
    await recordAudit(ctx, {
      account_id: user.account_id,
      action: "session.started",
      target_type: "session",
      target_id: sessionId,
      details: { address: ctx.address },
    });
    return await issueTokens(ctx, user.id, sessionId);
  });
}

function failedSignIn(user: Candidate) {
  return { account_id: user.account_id, action: "session.refused", target_type: "user", target_id: user.id };
}
