import { setTimeout as pause } from "node:timers/promises";
import { endsTransaction, isDeadlock } from "../../db/errors.ts";
import { inTransaction, isTransaction, pipelined, savepoint } from "../../db/transaction.ts";
import type { Context } from "./context.ts";
import { nameAuthor } from "./history.ts";
import { log } from "./log.ts";

const VICTIM_PAUSE_MS = 20;

/**
 * Runs `work` under the context's author, in the context's transaction if there is one, and
 * otherwise in a new one. Triggers write the history of tickets and their parts, and refuse a
 * change without an author. The victim of a deadlock is run once more from its beginning, so `work`
 * must change nothing outside the database.
 */
export async function transact<C extends Context, T>(ctx: C, work: (ctx: C) => Promise<T>): Promise<T> {
  if (isTransaction(ctx.db)) return await work(ctx);
  return await repeatVictim(ctx, () => runOnce(ctx, work));
}

/** Repeats a single statement that is its own transaction if it is the victim of a deadlock. */
export async function repeatVictim<T>(ctx: Context, run: () => PromiseLike<T>): Promise<T> {
  const result = await runTwice(ctx, run);
  // The change has been committed only now.
  ctx.feed.wake();
  return result;
}

async function runTwice<T>(ctx: Context, run: () => PromiseLike<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!isDeadlock(error)) throw error;
    log.warn("deadlock, trying again", { request_id: ctx.requestId });
    // Without the pause it could take its first lock again before the other transaction, which
    // waits for that lock, has woken up.
    await pause(VICTIM_PAUSE_MS);
    return await run();
  }
}

/**
 * The outcome of a part. A failure is returned and not thrown, because a thrown error would roll
 * back the earlier work of the transaction.
 */
export type Attempt<T> = { result: T } | { failure: unknown };

/**
 * Runs a part of the transaction that may fail without taking the rest along, because only the
 * part's writes are rolled back. Call it inside `transact`.
 * @throws an error that ends the whole transaction
 */
export async function attemptPart<C extends Context, T>(
  ctx: C,
  work: (ctx: C) => Promise<T>,
): Promise<Attempt<T>> {
  const { db } = ctx;
  if (!isTransaction(db)) throw new Error("Cannot run a part of a transaction outside a transaction");
  const later: (() => void)[] = [];
  const afterCommit = (work: () => void) => void later.push(work);
  try {
    const result = await savepoint(db, (db) => work({ ...ctx, db, afterCommit }));
    for (const work of later) ctx.afterCommit(work);
    return { result };
  } catch (failure) {
    if (endsTransaction(failure)) throw failure;
    return { failure };
  }
}

async function runOnce<C extends Context, T>(ctx: C, work: (ctx: C) => Promise<T>): Promise<T> {
  const later: (() => void)[] = [];
  const afterCommit = (work: () => void) => void later.push(work);
  const result = await inTransaction(
    ctx.db,
    (db) => pipelined(nameAuthor(ctx, db), () => work({ ...ctx, db, afterCommit })),
  );
  for (const work of later) work();
  return result;
}
