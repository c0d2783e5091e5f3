import { isUnavailable } from "../../db/errors.ts";
import { isTransaction, savepoint } from "../../db/open.ts";
import type { Context } from "../core/context.ts";
import { log } from "../core/log.ts";
import type { Effect, Outcome, Receipt } from "./schema.ts";

/** Runs the effect of a row that the transaction holds, and writes down what came of it. */
export async function attempt(ctx: Context, id: string, effect: Effect): Promise<Receipt> {
  const result = await tryEffect(ctx, effect);
  if ("failure" in result) {
    log.warn("delivery failed", { request_id: ctx.requestId, delivery: id });
    await ctx.db`
      update deliveries set outcome = 'failed', error = ${errorLine(result.failure)}, attempts = attempts + 1,
        decided_at = now()
      where id = ${id}::uuid`;
    return { id, repeat: false, outcome: "failed", failure: result.failure };
  }
  const { outcome, reason = null } = result;
  await ctx.db`
    update deliveries set outcome = ${outcome}, reason = ${reason}, error = null, attempts = attempts + 1, decided_at = now()
    where id = ${id}::uuid`;
  return { id, repeat: false, outcome };
}

/** The writes of an effect that fails are taken back; the row stays, to say so. */
async function tryEffect(ctx: Context, effect: Effect): Promise<Outcome | { failure: unknown }> {
  const { db } = ctx;
  if (!isTransaction(db)) throw new Error("a delivery's effect runs in its row's transaction");
  try {
    return await savepoint(db, (db) => effect({ ...ctx, db }));
  } catch (error) {
    // With the connection the row is gone too; the sender comes again.
    if (isUnavailable(error)) throw error;
    return { failure: error };
  }
}

/** For admins: the message and its causes, without a stack. */
function errorLine(error: unknown): string {
  if (!(error instanceof Error)) return String(error).slice(0, 1000);
  const cause = error.cause === undefined ? "" : `: ${errorLine(error.cause)}`;
  return `${error.message}${cause}`.replaceAll("\0", "").slice(0, 1000);
}
