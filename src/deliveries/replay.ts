import type { Context } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { transact } from "../core/history.ts";
import { attempt } from "./_attempt.ts";
import type { Provider, StoredEffect } from "./schema.ts";

interface Stored {
  id: string;
  provider: Provider;
  body: Uint8Array;
}

/**
 * Runs a kept delivery's effect again from its raw body, whatever came of it before; what came of it now is in its row.
 * @throws {AppError} not_found
 */
export async function replayDelivery(
  ctx: Context,
  id: string,
  effects: Record<Provider, StoredEffect>,
): Promise<void> {
  await transact(ctx, async (ctx) => {
    const [stored] = await ctx.db<Stored[]>`
      select id, provider, body from deliveries where id = ${id}::uuid for update`;
    if (!stored) throw new AppError("not_found", "No such delivery");
    await attempt(ctx, stored.id, (ctx) => effects[stored.provider](ctx, stored.body));
  });
}

/** Runs again what was ignored because its subject was not known yet, in the order in which it came. */
export async function replayIgnored(
  ctx: Context,
  which: { provider: Provider; subject: string; reason: string },
  effect: StoredEffect,
): Promise<void> {
  const early = await ctx.db<Stored[]>`
    select id, provider, body from deliveries
    where provider = ${which.provider} and subject = ${which.subject} and outcome = 'ignored' and reason = ${which.reason}
    order by received_at, id for update`;
  for (const { id, body } of early) await attempt(ctx, id, (ctx) => effect(ctx, body));
}
