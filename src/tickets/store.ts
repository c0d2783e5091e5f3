import { v7 as uuid } from "uuid";
import { isTransaction } from "../../db/transaction.ts";
import { isBot, type ProjectContext } from "../core/context.ts";
import { authorText, nameAuthor } from "../core/history.ts";
import { inOrder } from "../core/in_order.ts";
import { repeatVictim, transact } from "../core/transact.ts";
import { type Draft, insertTickets } from "./_insert.ts";
import { isPlanned, type PlanFields, planOf } from "./_plan.ts";
import { findTicket } from "./find_ticket.ts";
import { lockTicket } from "./lock.ts";
import { lockGraph } from "./lock_graph.ts";
import { recount } from "./recount.ts";
import { ticketsUrl } from "./tickets_url.ts";
import { toStoredVector } from "./_similar.ts";
import type { CreatedTicket, CreateTicket, SimilarTicket } from "./schema.ts";

/** Facts about a new ticket that are known before it is stored. */
export interface Extras {
  keyed: Keyed | null;
  embedding: Float32Array | null;
  similar: SimilarTicket[] | undefined;
}

export interface Keyed {
  key: string;
  hash: string;
}

const NO_EXTRAS: Extras = { keyed: null, embedding: null, similar: undefined };

/**
 * Stores a ticket whose input has been checked. A job embeds a ticket that has no embedding.
 * Outside a transaction, the ticket shares a statement with creations of the same moment; inside
 * one, it is stored as a part of the transaction.
 */
export async function storeTicket(
  ctx: ProjectContext,
  input: CreateTicket,
  extras: Extras = NO_EXTRAS,
): Promise<CreatedTicket> {
  const draft = draftOf(ctx, input, extras);
  const isEmbedded = extras.embedding !== null || ctx.config.EMBEDDING_THREADS === 0;
  if (isEmbedded && !isPlanned(input)) return await insert(ctx, draft);
  return await transact(ctx, async (ctx) => {
    const plan: PlanFields = isPlanned(input) ? await planNew(ctx, input) : {};
    const created = await insert(ctx, { ...draft, plan });
    if (plan.parent_id) await recount(ctx, [plan.parent_id]);
    if (!isEmbedded) await ctx.queue.enqueue(ctx.db, "embed-ticket", { ticket_id: draft.id });
    return created;
  });
}

/** The planning fields of a new ticket. A parent that is named by its ref is found first. */
async function planNew(ctx: ProjectContext, input: CreateTicket): Promise<PlanFields> {
  if (!input.parent_id) return await planOf(ctx, input);
  const parent = await findTicket(ctx, "parent_id", input.parent_id, "project");
  await lockGraph(ctx);
  await lockTicket(ctx, parent.id);
  return await planOf(ctx, { ...input, parent_id: parent.id });
}

/**
 * Creations in one project wait for its counter anyway, so creations of the same moment share a
 * statement.
 */
async function insert(ctx: ProjectContext, draft: Draft): Promise<CreatedTicket> {
  const { db, project, batches } = ctx;
  if (isTransaction(db)) {
    // The insert names an author for each ticket, so the caller is made the author again for the
    // rest of the transaction.
    const [[created]] = await inOrder(insertTickets(db, [draft]), nameAuthor(ctx, db));
    return created!;
  }
  return await batches.join(
    `create:${project.id}`,
    draft,
    (drafts: Draft[]) => repeatVictim(ctx, () => insertTickets(db, drafts)),
  );
}

/** Tickets of these types exist to be answered. */
function asks({ request_type, ask = true }: CreateTicket): boolean {
  return ask && (request_type === "clarification_needed" || request_type === "decision_needed");
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
    plan: {},
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
