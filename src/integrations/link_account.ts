import { z } from "zod";
import { requireStanding } from "../core/access.ts";
import { recordAudit } from "../core/audit.ts";
import type { ActorContext } from "../core/context.ts";
import { AppError, invalidField } from "../core/errors.ts";
import { anyText } from "../core/schema.ts";
import { seal } from "../core/sealed.ts";
import { transact } from "../core/transact.ts";
import { parseAnswer } from "./_call.ts";
import { openClient } from "./_client.ts";
import { type ProviderFailure, toCallError, toProviderFailure } from "./_failures.ts";
import { getLinkedAccount } from "./get_account.ts";
import type { LinkAccount, LinkedAccount } from "./schema.ts";

/** The purposes of a classic token, each with the scopes of which one is enough. */
const NEEDS = [
  { purpose: "to set up webhooks", scopes: ["admin:repo_hook", "write:repo_hook", "repo"] },
  { purpose: "to create issues", scopes: ["public_repo", "repo"] },
];

const Identity = z.object({ id: z.int(), login: anyText(1, 100) });

type Verified = z.infer<typeof Identity> & { scopes: string[] | null };

/**
 * Links the caller's account after GitHub has confirmed the token's owner and sufficient rights.
 */
export async function linkAccount(ctx: ActorContext, { token }: LinkAccount): Promise<LinkedAccount> {
  const { user } = ctx.actor;
  const { login, id, scopes } = await verify(ctx, token);
  requireScopes(scopes);
  const sealed = seal(ctx, "hostingToken", user.id, token);
  return await transact(ctx, async (ctx) => {
    // The user may have been deactivated since, and then nobody could unlink the account.
    await requireStanding(ctx);
    await ctx.db`
      insert into code_hosting_accounts (user_id, login, provider_user_id, scopes, token)
      values (${user.id}::uuid, ${login}, ${id}, ${scopes}::text[], ${sealed})
      on conflict (user_id) do update set login = excluded.login, provider_user_id = excluded.provider_user_id,
        scopes = excluded.scopes, token = excluded.token, state = 'active', linked_at = now(), updated_at = now()`;
    await recordAudit(ctx, {
      account_id: user.account_id,
      action: "code_hosting.linked",
      target_type: "user",
      target_id: user.id,
      details: { login, scopes },
    });
    return await getLinkedAccount(ctx);
  });
}

async function verify(ctx: ActorContext, token: string): Promise<Verified> {
  const { octokit } = openClient(ctx.config, token, ctx.actor.user.id);
  try {
    const { data, headers } = await octokit.request("GET /user");
    return { ...parseAnswer(Identity, data), scopes: scopesOf(token, headers["x-oauth-scopes"]) };
  } catch (error) {
    throw refusal(toProviderFailure(error));
  }
}

/** Prefixes of fine-grained tokens and of apps' tokens. */
const WITHOUT_SCOPES = /^(github_pat|ghu)_/;

/**
 * A classic token's scopes. The header is missing or empty for other tokens, whose rights show only
 * in use.
 */
function scopesOf(token: string, header: unknown): string[] | null {
  if (typeof header !== "string" || WITHOUT_SCOPES.test(token)) return null;
  return header.split(",").map((scope) => scope.trim()).filter(Boolean);
}

function requireScopes(scopes: string[] | null): void {
  if (scopes === null) return;
  const missing = NEEDS.filter((need) => !need.scopes.some((scope) => scopes.includes(scope)));
  if (missing.length === 0) return;
  const texts = missing.map(({ purpose, scopes }) => `${scopes.join(" or ")} (${purpose})`);
  throw invalidField("token", `Lacks the scope ${texts.join(", and ")}`);
}

/** Here the token was part of the body, so a refusal blames the body and not the caller. */
function refusal(failure: ProviderFailure): AppError {
  if (failure.code === "token_refused") return invalidField("token", "GitHub does not accept this token");
  if (failure.code === "no_admin_right") {
    return invalidField("token", "GitHub did not let this token read the account");
  }
  return toCallError(failure, "link the account");
}
