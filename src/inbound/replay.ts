import type { Db } from "../../db/open.ts";
import type { Context } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { transact } from "../core/transact.ts";
import { attempt } from "./_attempt.ts";
import type { Effect, Kept, Provider } from "./schema.ts";

interface Stored extends Kept {
  id: string;
  provider: Provider;
}

/**
 * Runs the effect of a stored delivery again from its raw body, after any earlier outcome. The new
 * outcome is in its row.
 * @throws {AppError} not_found
 */
export async function rerunDelivery(
  ctx: Context,
  id: string,
  effects: Record<Provider, Effect>,
): Promise<void> {
  await transact(ctx, async (ctx) => {
    const [stored] = await ctx.db<Stored[]>`
      select id, provider, body, received_at from inbound_deliveries where id = ${id}::uuid for update`;
    if (!stored) throw new AppError("not_found", "No such delivery");
    await attempt(ctx, stored, effects[stored.provider]);
  });
}

/** Identifies deliveries that were ignored because their subject was not known yet. */
export interface Ignored {
  provider: Provider;
  subject: string;
  reason: string;
}

/**
 * Locks ignored deliveries in the order in which they came. Call it before you lock their subject,
 * because a replay of one of them locks the delivery first and then waits for its subject.
 */
export async function lockIgnored({ db }: Context, which: Ignored): Promise<void> {
  await db`select ${rowsOf(db, which)} for update`;
}

/**
 * Runs ignored deliveries again in the order in which they came, because their subject is known
 * now. A delivery that somebody else has locked since then waits for the subject, and finds it.
 */
export async function replayIgnored(ctx: Context, which: Ignored, effect: Effect): Promise<void> {
  const ignored = await ctx.db<Stored[]>`
    select id, provider, body, received_at ${rowsOf(ctx.db, which)} for update skip locked`;
  for (const stored of ignored) await attempt(ctx, stored, effect);
}

function rowsOf(db: Db, { provider, subject, reason }: Ignored) {
  return db`from inbound_deliveries
    where provider = ${provider} and subject = ${subject} and outcome = 'ignored' and reason = ${reason}
    order by received_at, id`;
}
