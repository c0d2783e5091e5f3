import type { Context } from "../core/context.ts";
import { log } from "../core/log.ts";
import { toStorableText } from "../core/schema.ts";
import { type Attempt, attemptPart } from "../core/transact.ts";
import type { DeliveryOutcome, Effect, Kept, Outcome } from "./schema.ts";

interface Decided {
  outcome: DeliveryOutcome;
  reason?: string | null;
  failure?: unknown;
}

/** Runs the effect of a row that the transaction has locked, and stores the outcome. */
export async function attempt<Result extends Outcome>(
  ctx: Context,
  { id, ...kept }: Kept & { id: string },
  effect: Effect<Result>,
): Promise<Attempt<Result>> {
  // The row stays if the effect fails. If the connection is lost, the row is lost, too, and the
  // sender has to send the delivery again.
  const tried = await attemptPart(ctx, (ctx) => effect(ctx, kept));
  const { outcome, reason = null, failure }: Decided = "failure" in tried
    ? { outcome: "failed", failure: tried.failure }
    : tried.result;
  const error = failure === undefined ? null : errorLine(failure);
  if (error !== null) log.warn("delivery failed", { request_id: ctx.requestId, delivery: id, error });
  await ctx.db`
    update inbound_deliveries set outcome = ${outcome}, reason = ${reason}, error = ${error}, attempts = attempts + 1,
      decided_at = now()
    where id = ${id}::uuid`;
  return tried;
}

/** Returns the message and its causes for admins, without a stack. */
function errorLine(error: unknown): string {
  if (!(error instanceof Error)) return toStorableText(String(error).slice(0, 1000));
  const cause = error.cause === undefined ? "" : `: ${errorLine(error.cause)}`;
  return toStorableText(`${error.message}${cause}`.slice(0, 1000));
}
