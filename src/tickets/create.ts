import { v7 as uuid } from "uuid";
import { isTimeout, isUniqueViolation } from "../../db/errors.ts";
import { isTransaction } from "../../db/transaction.ts";
import { batchedRead } from "../core/batched_read.ts";
import { isBot, type ProjectContext } from "../core/context.ts";
import { AppError, invalidField } from "../core/errors.ts";
import { authorText, nameAuthor } from "../core/history.ts";
import { inOrder } from "../core/in_order.ts";
import { log } from "../core/log.ts";
import { repeatVictim, transact } from "../core/transact.ts";
import { refuseDisabledRoles } from "../projects/enabled_roles.ts";
import { type Draft, insertTickets } from "./_insert.ts";
import { ticketsUrl } from "./_rows.ts";
import { embeddedText, findNearest, toStoredVector } from "./_similar.ts";
import { type Earlier, hashOf, idempotencyKey, replay } from "./idempotency.ts";
import type { CreatedTicket, CreateTicket, SimilarTicket } from "./schema.ts";

/**
 * Creates a ticket once and only once per idempotency key. The hint is a courtesy: when the model can't answer in
 * time the ticket is created without it, and a job embeds it later.
 */
export async function createTicket(ctx: ProjectContext, input: CreateTicket): Promise<CreatedTicket> {
  const key = idempotencyKey(ctx, input);
  const keyed = key === null ? null : { key, hash: hashOf(input) };
  const earlier = keyed && await findReplay(ctx, keyed);
  if (earlier) return earlier;
  requireBotRoles(ctx, input);
  refuseDisabledRoles(ctx, input.roles ?? []);

  const embedding = await ctx.embedder.embed(embeddedText(input));
  const similar = embedding ? await findHint(ctx, embedding) : undefined;
  const draft = draftOf(ctx, input, { keyed, embedding, similar });
  try {
    if (embedding || ctx.config.EMBEDDING_THREADS === 0) return await store(ctx, draft);
    return await transact(ctx, async (ctx) => {
      const created = await store(ctx, draft);
      await ctx.queue.enqueue(ctx.db, "embed-ticket", { ticket_id: draft.id });
      return created;
    });
  } catch (error) {
    // A refusal may have come after a twin that was made while its role was enabled still.
    const mayHaveTwin = error instanceof AppError || isUniqueViolation(error, "ticket_creations_pkey");
    const twin = keyed && mayHaveTwin ? await findReplay(ctx, keyed) : null;
    if (!twin) throw error;
    return twin;
  }
}

/** The ticket comes first: a search that takes too long leaves the hint out. */
async function findHint(ctx: ProjectContext, embedding: Float32Array): Promise<SimilarTicket[] | undefined> {
  try {
    return await findNearest(ctx, embedding);
  } catch (error) {
    if (!isTimeout(error)) throw error;
    log.warn("similar tickets were not found in time", { request_id: ctx.requestId });
    return undefined;
  }
}

interface Keyed {
  key: string;
  hash: string;
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

/** A ticket of these types is there to be answered. */
function asks({ request_type, ask = true }: CreateTicket): boolean {
  return ask && (request_type === "clarification_needed" || request_type === "decision_needed");
}

/** Creations in one project wait for its counter anyway: those that come together go into one statement. */
async function store(ctx: ProjectContext, draft: Draft): Promise<CreatedTicket> {
  const { db, project, batches } = ctx;
  if (isTransaction(db)) {
    // The insert names authors by ticket: whatever the transaction writes next is the caller's again.
    const [[created]] = await inOrder(insertTickets(db, [draft]), nameAuthor(ctx, db));
    return created!;
  }
  return await batches.join(
    `create:${project.id}`,
    draft,
    (drafts: Draft[]) => repeatVictim(ctx, () => insertTickets(db, drafts)),
  );
}

interface Extras {
  keyed: Keyed | null;
  embedding: Float32Array | null;
  similar: SimilarTicket[] | undefined;
}

function draftOf(ctx: ProjectContext, input: CreateTicket, { keyed, embedding, similar }: Extras): Draft {
  const { actor, project } = ctx;
  const byKey = actor.credential.type === "key";
  const questionId = asks(input) ? uuid() : null;
  const { title, description, request_type, priority, blocking, roles = [] } = input;
  const id = uuid();
  return {
    id,
    project_id: project.id,
    title,
    description,
    request_type,
    priority,
    blocking,
    roles,
    evidence: input.evidence ?? null,
    suggested_resolution: input.suggested_resolution ?? null,
    implementation_notes: input.implementation_notes ?? null,
    actor_role: input.actor_role ?? (byKey ? "bot" : "user"),
    actor_id: input.actor_id ?? actor.user.id,
    source: input.source ?? (byKey ? "api" : "portal"),
    created_by: actor.user.id,
    created_with: actor.credential.type,
    key_id: actor.credential.type === "key" ? actor.credential.id : null,
    by_bot: isBot(actor),
    question_id: questionId,
    idempotency_key: keyed?.key ?? null,
    body_sha256: keyed?.hash ?? null,
    embedding: embedding && toStoredVector(embedding),
    author: authorText(ctx),
    answer: {
      ...(similar && { similar_existing: similar }),
      ...(questionId !== null && { question_id: questionId }),
      ticket: {
        id,
        status: "open",
        stage: "backlog",
        title,
        request_type,
        priority,
        blocking,
        roles: roles.toSorted().map((role) => ({ role, status: "pending" })),
        version: 1,
        url: ticketsUrl(ctx),
      },
    },
  };
}
