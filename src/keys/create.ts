import { v7 as uuid } from "uuid";
import { requireProject, requireStanding } from "../core/access.ts";
import { recordAudit } from "../core/audit.ts";
import type { ActorContext } from "../core/context.ts";
import { invalidField } from "../core/errors.ts";
import { Scope } from "../core/schema.ts";
import { hashToken, newApiKey } from "../core/tokens.ts";
import { transact } from "../core/transact.ts";
import type { CreatedKey, CreateKey } from "./schema.ts";

/**
 * Creates a key that acts for the caller, narrowed by scopes, project and expiry. Only this answer
 * contains its text.
 */
export async function createKey(ctx: ActorContext, input: CreateKey): Promise<CreatedKey> {
  const scopes = input.scopes ?? Scope.options.filter((scope) => scope !== "admin");
  const expiresAt = input.expires_at === undefined ? null : new Date(input.expires_at).toISOString();
  if (expiresAt !== null && Date.parse(expiresAt) <= Date.now()) {
    throw invalidField("expires_at", "Must be in the future");
  }
  if (input.project_id !== undefined) {
    await requireProject(ctx, input.project_id, { needed: "viewer", denial: "forbidden" });
  }
  const { key, prefix } = newApiKey();
  return await transact(ctx, async (ctx) => {
    await requireStanding(ctx);
    const id = uuid();
    const name = input.name ?? "API key";
    await ctx.db`
      insert into api_keys (id, user_id, project_id, name, prefix, key_hash, scopes, expires_at)
      values (${id}::uuid, ${ctx.actor.user.id}::uuid, ${input.project_id ?? null}::uuid, ${name}, ${prefix},
        ${hashToken(key)}, ${[...new Set(scopes)]}::text[], ${expiresAt}::timestamptz)`;
    await recordAudit(ctx, {
      account_id: ctx.actor.user.account_id,
      action: "key.created",
      target_type: "key",
      target_id: id,
      details: { prefix, name, scopes, project_id: input.project_id, expires_at: expiresAt ?? undefined },
    });
    return { id, key, prefix, name };
  });
}
