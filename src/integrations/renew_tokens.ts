import { NIL } from "uuid";
import type { Context } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { log } from "../core/log.ts";
import { readToken } from "./_account.ts";

const STEP = 100;

/**
 * Encrypts every stored token under the newest key, so that an older key can be retired and nobody
 * has to link again.
 */
export async function renewTokens(ctx: Context): Promise<void> {
  const [newest] = ctx.secrets.encryption;
  let unreadable = 0;
  let after: string = NIL;
  for (;;) {
    const stale: { user_id: string; token: string }[] = await ctx.db`
      select user_id, token from code_hosting_accounts
      where split_part(token, '.', 2) <> ${newest.id} and user_id > ${after}::uuid
      order by user_id limit ${STEP}`;
    for (const { user_id, token } of stale) {
      if (!await renew(ctx, user_id, token)) unreadable++;
    }
    if (stale.length < STEP) break;
    after = stale.at(-1)!.user_id;
  }
  if (unreadable > 0) {
    // The log would leave out a field with "token" in its name.
    log.warn("stored tokens that no key can decrypt: their owners must link again", { accounts: unreadable });
  }
}

/** Tells whether a key reads the token. */
async function renew(ctx: Context, userId: string, sealed: string): Promise<boolean> {
  try {
    await readToken(ctx, userId, sealed);
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === "code_hosting_not_linked") return false;
    throw error;
  }
}
