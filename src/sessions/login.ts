import { createHash } from "node:crypto";
import { v7 as uuid } from "uuid";
import { recordAudit } from "../core/audit.ts";
import type { RequestContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { Lanes } from "../core/lanes.ts";
import { counterOf } from "../core/limits.ts";
import { hashPassword, verifyPassword } from "../core/passwords.ts";
import { transact } from "../core/transact.ts";
import { byEmail } from "../users/by_email.ts";
import { issueTokens } from "./_tokens.ts";
import { ABSOLUTE_DAYS, type Login, type TokenPair } from "./schema.ts";

/** The limits of refused attempts. */
const OF_ADDRESS = { name: "login", points: 30, seconds: 60 };
const OF_EMAIL = { name: "login-email", points: 10, seconds: 300 };

/**
 * The attempts of an address, and of an email, that are checked at the same time. The others wait,
 * so that right passwords, however many at once, refuse nobody, and wrong ones are counted in time.
 */
const addresses = new Lanes(4);
const emails = new Lanes();

interface SignInUser {
  id: string;
  name: string;
  account_id: string;
  password_hash: string | null;
}

/**
 * Starts a session. Refused attempts are counted by address and by email, so that neither one
 * address nor many addresses can guess without limit. A script may sign in at each of its runs, and
 * the people of an office may sign in from one address.
 * @throws {AppError} invalid_credentials, the same for an unknown email, a wrong password and a
 * deactivated user
 */
export async function login(ctx: RequestContext, input: Login): Promise<TokenPair> {
  const { limits, address, headers } = ctx;
  const name = nameOf(input.email);
  limits.refuseKnown(OF_EMAIL, name, headers);
  // An address that tries too often is refused first, so that it doesn't use up the attempts of an
  // email, and before it waits.
  await limits.refuseUsedUp(OF_ADDRESS, address, headers);
  return await addresses.run(counterOf(address), async () => {
    await limits.refuseUsedUp(OF_ADDRESS, address, headers);
    return await emails.run(name, async () => {
      await limits.refuseUsedUp(OF_EMAIL, name, headers);
      const { user, pair } = await tryPassword(ctx, input);
      if (pair) return pair;
      // This is written for an unknown email, too, because one statement less would show that the
      // email is unknown.
      await recordAudit(ctx, failedSignIn(ctx, user));
      await limits.take(OF_ADDRESS, address, headers);
      await limits.take(OF_EMAIL, name, headers);
      throw new AppError("invalid_credentials");
    });
  });
}

interface Tried {
  user: SignInUser | undefined;
  pair: TokenPair | null;
}

/**
 * Tries the password again if the hash has changed since it was read, because another sign-in may
 * have renewed it.
 */
async function tryPassword(ctx: RequestContext, { email, password }: Login, tries = 2): Promise<Tried> {
  const [user] = await ctx.db<SignInUser[]>`
    select id, name, account_id, password_hash from users
    where deactivated_at is null and ${byEmail(ctx.db, email)}`;
  const { matches, outdated } = await verifyPassword(user?.password_hash ?? null, password);
  if (!user || !matches) return { user, pair: null };
  const pair = await startSession(ctx, user, outdated ? await hashPassword(password) : null);
  return pair || tries === 1 ? { user, pair } : await tryPassword(ctx, { email, password }, tries - 1);
}

/** Returns null if the password was changed or the user deactivated after the user was read. */
async function startSession(
  ctx: RequestContext,
  user: SignInUser,
  renewedHash: string | null,
): Promise<TokenPair | null> {
  return await transact({ ...ctx, author: { kind: "user", id: user.id, name: user.name } }, async (ctx) => {
    const sessionId = uuid();
    if (renewedHash) {
      await ctx.db`
        update users set password_hash = ${renewedHash}
        where id = ${user.id}::uuid and password_hash = ${user.password_hash}`;
    }
    // The lock and the comparison detect a changed password and a deactivated user.
    const started = await ctx.db`
      insert into sessions (id, user_id, user_agent, address, expires_at)
      select ${sessionId}::uuid, u.id, ${ctx.userAgent}, ${ctx.address}, now() + make_interval(days => ${ABSOLUTE_DAYS})
      from users u
      where u.id = ${user.id}::uuid and u.password_hash = ${
      renewedHash ?? user.password_hash
    } and u.deactivated_at is null
      for share of u`;
    if (started.count === 0) return null;
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

function failedSignIn({ address }: RequestContext, user: SignInUser | undefined) {
  return {
    account_id: user?.account_id ?? null,
    action: "session.refused",
    ...(user && { target_type: "user", target_id: user.id }),
    details: { address },
  };
}

/**
 * Returns the name under which attempts on an email are counted. The name is a short text and not
 * the address itself. The email is counted in capitals and without accents, because the database
 * lower-cases some letters, such as Σ, in another way than JavaScript. Every spelling must use the
 * same counter.
 */
function nameOf(email: string): string {
  const plain = email.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().toUpperCase();
  return createHash("sha256").update(plain).digest("base64url");
}
