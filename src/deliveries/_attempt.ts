import { isDeadlock, isUnavailable } from "../../db/errors.ts";
import { isTransaction, savepoint } from "../../db/open.ts";
import type { Context } from "../core/context.ts";
import { log } from "../core/log.ts";
import type { Effect, Outcome } from "./schema.ts";

/** A failure is answered, not thrown: thrown, it would take along the row that says so. */
export type Attempt<Result extends Outcome> = { result: Result } | { failure: unknown };

/** Runs the effect of a row that the transaction holds, and writes down what came of it. */
export async function attempt<Result extends Outcome>(
  ctx: Context,
  id: string,
  effect: Effect<Result>,
): Promise<Attempt<Result>> {
  const tried = await tryEffect(ctx, effect);
  const row = "failure" in tried
    ? { outcome: "failed", reason: null, error: errorLine(tried.failure) }
    : { outcome: tried.result.outcome, reason: tried.result.reason ?? null, error: null };
  if (row.error !== null) {
    log.warn("delivery failed", { request_id: ctx.requestId, delivery: id, error: row.error });
  }
  await ctx.db`
    update deliveries set outcome = ${row.outcome}, reason = ${row.reason}, error = ${row.error}, attempts = attempts + 1,
      decided_at = now()
    where id = ${id}::uuid`;
  return tried;
}

/** What a failed effect wrote is taken back; the row stays. */
async function tryEffect<Result extends Outcome>(
  ctx: Context,
  effect: Effect<Result>,
): Promise<Attempt<Result>> {
  const { db } = ctx;
  if (!isTransaction(db)) throw new Error("a delivery's effect runs in its row's transaction");
  try {
    return { result: await savepoint(db, (db) => effect({ ...ctx, db })) };
  } catch (error) {
    // With the connection the row is gone too: the sender comes again. A deadlock is tried again as a whole.
    if (isUnavailable(error) || isDeadlock(error)) throw error;
    return { failure: error };
  }
}

/** For admins: the message and its causes, without a stack. */
function errorLine(error: unknown): string {
  if (!(error instanceof Error)) return String(error).slice(0, 1000);
  const cause = error.cause === undefined ? "" : `: ${errorLine(error.cause)}`;
  return `${error.message}${cause}`.replaceAll("\0", "").slice(0, 1000);
}
