import type { Db } from "../../db/open.ts";
import type { Context, ProjectContext } from "./context.ts";
import { jsonb } from "./json.ts";

/**
 * Writes a CTE that names the author, for a single statement that is its own transaction. The
 * statement must read from the CTE.
 */
export function authorCte(ctx: Context) {
  return ctx.db`author as materialized (select set_config('handoff.actor', ${
    authorText(ctx)
  }, true) as named)`;
}

/**
 * Writes the same CTE for a statement that creates tickets for several authors. Each author is a
 * text as `authorText` returns it.
 */
export function authorsCte(db: Db, tickets: readonly { id: string; author: string }[]) {
  const authors = tickets.map(({ id, author }) => `"${id}":${author}`).join();
  return db`author as materialized (select set_config('handoff.actor', ${`{"tickets":{${authors}}}`}, true) as named)`;
}

/** Names the context's author for the following statements of the transaction. */
export function nameAuthor(ctx: Context, db: Db) {
  return db`select set_config('handoff.actor', ${authorText(ctx)}, true)`;
}

/** Writes the author as history stores it, with the request. */
export function authorText(ctx: Context): string {
  return JSON.stringify({ ...ctx.author, request_id: ctx.requestId });
}

/**
 * Adds history rows for acts that no changed column shows, such as the skipping of a gate. One
 * statement adds all rows.
 */
export async function recordEvents(
  { db, author, requestId }: Context,
  events: { project_id: string; ticket_id: string; action: string; details?: Record<string, unknown> }[],
): Promise<void> {
  await db`
    insert into history (project_id, ticket_id, entity, entity_id, action, to_value, actor, request_id)
    select e.project_id, e.ticket_id, 'ticket', e.ticket_id, e.action, e.details,
      ${jsonb(db, author)}, ${requestId}
    from jsonb_to_recordset(${jsonb(db, events)})
      as e (project_id uuid, ticket_id uuid, action text, details jsonb)`;
}

/**
 * Adds an event of each of some things of a project that belong to no ticket, such as labels. Their
 * values are in the audit log.
 */
export async function recordProjectEvents(
  { db, project, author, requestId }: ProjectContext,
  { entity, ids, action }: { entity: string; ids: readonly string[]; action: string },
): Promise<void> {
  await db`
    insert into history (project_id, entity, entity_id, action, actor, request_id)
    select ${project.id}::uuid, ${entity}, t.id, ${action}, ${jsonb(db, author)}, ${requestId}
    from unnest(${[...ids]}::text[]) t (id)`;
}

/**
 * Converts a value of a history row. It is the value of the row's field, or of all fields if the
 * row names no field. Times inside JSON were stored as PostgreSQL writes them, and all other times
 * leave the database in the API's form.
 */
export function timesInWireForm(field: string | null, value: unknown): unknown {
  if (field !== null) return isTime(field, value) ? new Date(value).toISOString() : value;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, timesInWireForm(name, part)]));
}

function isTime(field: string, value: unknown): value is string {
  return field.endsWith("_at") && typeof value === "string" && /^\d{4}-\d\d-\d\dT/.test(value);
}
