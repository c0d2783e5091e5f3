import { v7 as uuid } from "uuid";
import { isUniqueViolation } from "../../db/errors.ts";
import { isBot, type ProjectContext } from "../core/context.ts";
import { toVectorLiteral } from "../core/embed.ts";
import { invalidField } from "../core/errors.ts";
import { authorCte, transact } from "../core/history.ts";
import { refuseDisabledRoles } from "../projects/enabled_roles.ts";
import { ticketsUrl } from "./_rows.ts";
import { embeddedText, findNearest } from "./_similar.ts";
import type { CreatedTicket, CreateTicket } from "./schema.ts";

/**
 * Creates a ticket once and only once per idempotency key. The hint is a courtesy: when the model can't answer in
 * time the ticket is created without it, and a job embeds it later.
 */
export async function createTicket(ctx: ProjectContext, input: CreateTicket): Promise<CreatedTicket> {
  const key = idempotencyKey(ctx, input);
  const earlier = key === null ? null : await findReplay(ctx, key);
  if (earlier) return earlier;
  requireBotRoles(ctx, input);
  refuseDisabledRoles(ctx, input.roles ?? []);

  const embedding = await ctx.embedder.embed(embeddedText(input));
  const similar = embedding ? await findNearest(ctx, embedding) : undefined;
  const draft = { id: uuid(), key, embedding, similar_existing: similar };
  try {
    if (embedding || ctx.config.EMBEDDING_THREADS === 0) return await insertTicket(ctx, input, draft);
    return await transact(ctx, async (ctx) => {
      const created = await insertTicket(ctx, input, draft);
      await ctx.queue.enqueue(ctx.db, "embed-ticket", { ticket_id: draft.id }, { singletonKey: draft.id });
      return created;
    });
  } catch (error) {
    if (key === null || !isUniqueViolation(error, "ticket_creations_pkey")) throw error;
    const twin = await findReplay(ctx, key);
    if (!twin) throw error;
    return twin;
  }
}

function idempotencyKey(ctx: ProjectContext, input: CreateTicket): string | null {
  const { idempotencyKey: header } = ctx;
  if (header === null) return input.idempotency_key ?? null;
  if (input.idempotency_key !== undefined && input.idempotency_key !== header) {
    throw invalidField("idempotency_key", "Differs from the Idempotency-Key header");
  }
  if ([...header].length > 128) throw invalidField("Idempotency-Key", "Must have at most 128 characters");
  return header;
}

async function findReplay(ctx: ProjectContext, key: string): Promise<CreatedTicket | null> {
  const [row] = await ctx.db<{ response: CreatedTicket }[]>`
    select response from ticket_creations where project_id = ${ctx.project.id}::uuid and idempotency_key = ${key}`;
  return row ? { ...row.response, _idempotent_replay: true } : null;
}

function requireBotRoles(ctx: ProjectContext, input: CreateTicket): void {
  const bot = isBot(ctx.actor) || input.actor_role === "bot" || input.actor_role === "agent";
  if (bot && !input.roles?.length) throw invalidField("roles", "A bot client must assign at least one role");
}

interface Draft {
  id: string;
  key: string | null;
  embedding: Float32Array | null;
  similar_existing: CreatedTicket["similar_existing"] | undefined;
}

/**
 * One statement, and so one round trip and one commit: number, ticket, roles, embedding, stored answer; history by
 * trigger. A twin that came first breaks ticket_creations_pkey, which takes everything back, the number included.
 */
async function insertTicket(ctx: ProjectContext, input: CreateTicket, draft: Draft): Promise<CreatedTicket> {
  const { db, project, actor } = ctx;
  const byKey = actor.credential.type === "key";
  const roles = input.roles ?? [];
  const ticket = {
    id: draft.id,
    status: "open",
    stage: "backlog",
    title: input.title,
    request_type: input.request_type,
    priority: input.priority,
    blocking: input.blocking,
    roles: roles.toSorted().map((role) => ({ role, status: "pending" })),
    version: 1,
    url: ticketsUrl(ctx, project.id) + draft.id,
  };
  const rest = draft.similar_existing ? { similar_existing: draft.similar_existing } : {};
  const [row] = await db<[{ body: CreatedTicket }]>`
    with ${authorCte(ctx)}, counter as (
      update projects set next_number = next_number + 1 from author where id = ${project.id}::uuid
      returning next_number - 1 as number, key, now()::timestamptz(3) as at
    ), answer as (
      select number, at, ${JSON.stringify(rest)}::text::jsonb || jsonb_build_object('ticket',
        ${JSON.stringify(ticket)}::text::jsonb || jsonb_build_object('ticket_ref', key || '-' || number,
          'created_at', to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))) as body
      from counter
    ), ticket as (
      insert into tickets (id, project_id, number, title, description, request_type, priority, blocking, evidence,
        suggested_resolution, implementation_notes, actor_role, actor_id, source, created_by, created_with, created_at,
        updated_at)
      select ${draft.id}::uuid, ${project.id}::uuid, number, ${input.title}, ${input.description}, ${input.request_type},
        ${input.priority}, ${input.blocking}, ${
    input.evidence ? JSON.stringify(input.evidence) : null
  }::text::jsonb,
        ${input.suggested_resolution ?? null}, ${input.implementation_notes ?? null},
        ${input.actor_role ?? (byKey ? "bot" : "user")}, ${input.actor_id ?? actor.user.id},
        ${input.source ?? (byKey ? "api" : "portal")}, ${actor.user.id}::uuid, ${
    byKey ? "key" : "session"
  }, at, at
      from answer
    ), roles as (
      insert into ticket_roles (ticket_id, project_id, role)
      select ${draft.id}::uuid, ${project.id}::uuid, role from answer, unnest(${roles}::text[]) as role
    ), embedding as (
      insert into ticket_embeddings (ticket_id, project_id, open, embedding)
      select ${draft.id}::uuid, ${project.id}::uuid, true, vector
      from answer, (select ${
    draft.embedding ? toVectorLiteral(draft.embedding) : null
  }::text::vector as vector) v
      where vector is not null
    ), creation as (
      insert into ticket_creations (project_id, idempotency_key, ticket_id, response)
      select ${project.id}::uuid, key, ${draft.id}::uuid, body
      from answer, (select ${draft.key}::text as key) k where key is not null
    )
    select body from answer`;
  return row.body;
}
