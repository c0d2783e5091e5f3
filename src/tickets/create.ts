import { isTimeout, isUniqueViolation } from "../../db/errors.ts";
import { batchedRead } from "../core/batched_read.ts";
import { isBot, type ProjectContext } from "../core/context.ts";
import { AppError, invalidField } from "../core/errors.ts";
import { log } from "../core/log.ts";
import { refuseDisabledRoles } from "../projects/enabled_roles.ts";
import { embeddedText, findNearest } from "./_similar.ts";
import { type Earlier, hashOf, idempotencyKey, replay } from "./idempotency.ts";
import type { CreatedTicket, CreateTicket, SimilarTicket } from "./schema.ts";
import { type Keyed, storeTicket } from "./store.ts";

/**
 * Creates a ticket exactly once for an idempotency key. The hint is optional: if the model can't
 * answer in time, the ticket is created without the hint and a job embeds it later.
 */
export async function createTicket(ctx: ProjectContext, input: CreateTicket): Promise<CreatedTicket> {
  const key = idempotencyKey(ctx, input);
  const keyed = key === null ? null : { key, hash: hashOf(input) };
  const earlier = keyed && await findReplay(ctx, keyed);
  if (earlier) return earlier;
  requireBotRoles(ctx, input);
  refuseDisabledRoles(ctx, input.roles ?? []);

  const embedding = await ctx.embedder.embed(embeddedText(input), { lane: ctx.actor.user.account_id });
  const similar = embedding ? await findHint(ctx, embedding) : undefined;
  try {
    return await storeTicket(ctx, input, { keyed, embedding, similar });
  } catch (error) {
    // This refusal may follow a twin that was created while its role was still enabled.
    const mayHaveTwin = error instanceof AppError || isUniqueViolation(error, "ticket_creations_pkey");
    const twin = keyed && mayHaveTwin ? await findReplay(ctx, keyed) : null;
    if (!twin) throw error;
    return twin;
  }
}

/** Returns no hint if the search takes too long, because the ticket matters more. */
async function findHint(ctx: ProjectContext, embedding: Float32Array): Promise<SimilarTicket[] | undefined> {
  try {
    return await findNearest(ctx, embedding);
  } catch (error) {
    if (!isTimeout(error)) throw error;
    log.warn("similar tickets were not found in time", { request_id: ctx.requestId });
    return undefined;
  }
}

async function findReplay(ctx: ProjectContext, { key, hash }: Keyed): Promise<CreatedTicket | null> {
  const earlier = await creationsByKey.get(ctx, key);
  return earlier ? replay(ctx, earlier, hash) : null;
}

const creationsByKey = batchedRead({
  name: "creations",
  scope: ({ project }: ProjectContext) => ({ projectId: project.id }),
  async load(db, { projectId }, keys) {
    const rows = await db<(Earlier<CreatedTicket> & { key: string })[]>`
      select idempotency_key as key, response, body_sha256 from ticket_creations
      where project_id = ${projectId}::uuid and idempotency_key = any (${keys}::text[])`;
    return new Map(rows.map((row) => [row.key, row]));
  },
});

function requireBotRoles(ctx: ProjectContext, input: CreateTicket): void {
  const bot = isBot(ctx.actor) || input.actor_role === "bot" || input.actor_role === "agent";
  if (bot && !input.roles?.length) throw invalidField("roles", "A bot client must assign at least one role");
}
