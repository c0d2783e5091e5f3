import type { Context } from "../core/context.ts";
import { UnreadableSecret } from "../core/encryption.ts";
import { AppError } from "../core/errors.ts";
import { renewSealed, unseal } from "../core/sealed.ts";
import { type Client, openClient } from "./_client.ts";
import { notLinked } from "./_failures.ts";

export interface Account extends Client {
  userId: string;
  login: string;
  linkedAt: string;
}

/**
 * Opens the code host on behalf of a user, with the linked account's token.
 * @throws {AppError} code_hosting_not_linked, with `reconnect`
 */
export async function openAccount(ctx: Context, userId: string): Promise<Account> {
  const [row] = await ctx.db<{ login: string; token: string; linked_at: string; state: string }[]>`
    select a.login, a.token, a.linked_at, a.state from code_hosting_accounts a join users u on u.id = a.user_id
    where a.user_id = ${userId}::uuid and u.deactivated_at is null`;
  if (!row) throw notLinked();
  const link = { userId, login: row.login, linkedAt: row.linked_at };
  const token = await readToken(ctx, userId, row.token).catch(async (error: unknown) => {
    if (error instanceof AppError) await noteState(ctx, link, "refused");
    throw error;
  });
  const client = openClient(ctx.config, token, userId);
  if (row.state === "refused") client.octokit.hook.after("request", () => noteState(ctx, link, "active"));
  return { ...client, ...link };
}

/**
 * Decrypts a token. A token under an older key is encrypted again under the newest one, so that the
 * older key can be retired.
 * @throws {AppError} code_hosting_not_linked if no key reads the token
 */
async function readToken(ctx: Context, userId: string, sealed: string): Promise<string> {
  try {
    const token = unseal(ctx, "hostingToken", userId, sealed);
    await renewSealed(ctx, "hostingToken", { key: userId, column: "token", sealed });
    return token;
  } catch (error) {
    if (!(error instanceof UnreadableSecret)) throw error;
    throw notLinked("The stored token can no longer be decrypted: link the account again", error);
  }
}

/** Stores whether the token can be used, unless another token has been linked since. */
export async function noteState(
  ctx: Context,
  { userId, linkedAt }: Pick<Account, "userId" | "linkedAt">,
  state: "active" | "refused",
): Promise<void> {
  await ctx.db`
    update code_hosting_accounts set state = ${state}, updated_at = now()
    where user_id = ${userId}::uuid and linked_at = ${linkedAt}::timestamptz and state <> ${state}`;
}
