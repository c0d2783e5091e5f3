import { endsTransaction, isDeadlock } from "../../db/errors.ts";
import { inTransaction, isTransaction, pipelined, savepoint } from "../../db/open.ts";
import type { Db } from "../../db/open.ts";
import type { Context } from "./context.ts";
import { log } from "./log.ts";

/**
 * Runs `work` in one transaction under the context's author. Triggers write the history of every ticket, role,
 * task, case and link changed in it (db/migrations), and refuse a change without an author.
 * Inside a transaction it joins that one. The victim of a deadlock is run once more from its beginning, so `work` must
 * change nothing outside the database.
 */
export async function transact<C extends Context, T>(ctx: C, work: (ctx: C) => Promise<T>): Promise<T> {
  if (isTransaction(ctx.db)) return await work(ctx);
  return await repeatVictim(ctx, () => runOnce(ctx, work));
}

/** The same repetition for a single statement that is its own transaction. */
export async function repeatVictim<T>(ctx: Context, run: () => PromiseLike<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!isDeadlock(error)) throw error;
    log.warn("deadlock, trying again", { request_id: ctx.requestId });
    return await run();
  }
}

/** A failure is answered, not thrown: thrown, it would take along what the transaction did before. */
export type Attempt<T> = { result: T } | { failure: unknown };

/**
 * Runs a part of the transaction that may fail without taking the rest along: what it wrote is taken back. Call it
 * inside `transact`.
 * @throws what ends the whole transaction
 */
export async function attemptPart<C extends Context, T>(
  ctx: C,
  work: (ctx: C) => Promise<T>,
): Promise<Attempt<T>> {
  const { db } = ctx;
  if (!isTransaction(db)) throw new Error("Cannot run a part of a transaction outside one");
  try {
    return { result: await savepoint(db, (db) => work({ ...ctx, db })) };
  } catch (failure) {
    if (endsTransaction(failure)) throw failure;
    return { failure };
  }
}

function runOnce<C extends Context, T>(ctx: C, work: (ctx: C) => Promise<T>): Promise<T> {
  return inTransaction(ctx.db, (db) => pipelined(nameAuthor(ctx, db), () => work({ ...ctx, db })));
}

/** A CTE that names the author, for a single statement that is its own transaction; the statement must read from it. */
export function authorCte(ctx: Context) {
  return ctx.db`author as materialized (select set_config('handoff.actor', ${
    authorText(ctx)
  }, true) as named)`;
}

/** The same where one statement makes tickets for several authors, each an `authorText`. */
export function authorsCte(db: Db, tickets: readonly { id: string; author: string }[]) {
  const authors = tickets.map(({ id, author }) => `"${id}":${author}`).join();
  return db`author as materialized (select set_config('handoff.actor', ${`{"tickets":{${authors}}}`}, true) as named)`;
}

/** Names the context's author for what follows in the transaction. */
export function nameAuthor(ctx: Context, db: Db) {
  return db`select set_config('handoff.actor', ${authorText(ctx)}, true)`;
}

/** The author as history stores him, with the request. */
export function authorText(ctx: Context): string {
  return JSON.stringify({ ...ctx.author, request_id: ctx.requestId });
}

/** History rows for what no column change shows, such as a gate that was stepped over. One statement for all. */
export async function recordEvents(
  ctx: Context,
  events: { project_id: string; ticket_id: string; action: string; details: Record<string, unknown> }[],
): Promise<void> {
  await ctx.db`
    insert into history (project_id, ticket_id, entity, entity_id, action, to_value, actor, request_id)
    select e.project_id, e.ticket_id, 'ticket', e.ticket_id, e.action, e.details, ${
    JSON.stringify(ctx.author)
  }::text::jsonb, ${ctx.requestId}
    from jsonb_to_recordset(${
    JSON.stringify(events)
  }::text::jsonb) as e (project_id uuid, ticket_id uuid, action text, details jsonb)`;
}
