import type { ActorContext } from "../core/context.ts";
import type { LinkedAccount } from "./schema.ts";

const NOT_LINKED: LinkedAccount = {
  provider: "github",
  state: "not_linked",
  login: null,
  scopes: null,
  linked_at: null,
};

/** Returns the caller's linked account, never its token. */
export async function getLinkedAccount(ctx: ActorContext): Promise<LinkedAccount> {
  const [account] = await ctx.db<Omit<LinkedAccount, "provider">[]>`
    select state, login, scopes, linked_at from code_hosting_accounts where user_id = ${ctx.actor.user.id}::uuid`;
  return account ? { provider: "github", ...account } : NOT_LINKED;
}
