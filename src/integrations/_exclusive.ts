import { setTimeout as pause } from "node:timers/promises";
import { v7 as uuid } from "uuid";
import type { Context } from "../core/context.ts";
import { ProviderFailure } from "./_failures.ts";

/**
 * This is longer than any one call to the code host, so a holder that renews before a call keeps
 * the right until the call has ended.
 */
const RIGHT_SECONDS = 30;
const POLL_MS = 150;

/** The sole right to work on something outside for a while. No transaction stays open for it. */
export interface ExclusiveRight {
  name: string;
  holder: string;
}

/** Waits up to `waitMs` for the right; null if another holder still has it. */
export async function takeExclusiveRight(
  ctx: Context,
  name: string,
  waitMs: number,
): Promise<ExclusiveRight | null> {
  const right = { name, holder: uuid() };
  const deadline = performance.now() + waitMs;
  while (!await tryTake(ctx, right)) {
    if (performance.now() >= deadline) return null;
    await pause(POLL_MS);
  }
  return right;
}

/**
 * Takes the right in one statement: the second of two simultaneous calls finds the row of the
 * first.
 */
async function tryTake(ctx: Context, { name, holder }: ExclusiveRight): Promise<boolean> {
  const taken = await ctx.db`
    insert into claims (name, holder, expires_at)
    values (${name}, ${holder}::uuid, now() + make_interval(secs => ${RIGHT_SECONDS}))
    on conflict (name) do update set holder = excluded.holder, expires_at = excluded.expires_at
    where claims.expires_at <= now()`;
  return taken.count === 1;
}

/**
 * Call this right before work that must not happen twice.
 * @throws {ProviderFailure} if the work took too long and another caller may hold the right
 */
export async function renewExclusiveRight(ctx: Context, { name, holder }: ExclusiveRight): Promise<void> {
  const renewed = await ctx.db`
    update claims set expires_at = now() + make_interval(secs => ${RIGHT_SECONDS})
    where name = ${name} and holder = ${holder}::uuid`;
  if (renewed.count === 0) {
    throw new ProviderFailure(
      "set_up_in_progress",
      "Another call took over while this one waited for GitHub",
    );
  }
}

export async function releaseExclusiveRight(ctx: Context, { name, holder }: ExclusiveRight): Promise<void> {
  await ctx.db`delete from claims where name = ${name} and holder = ${holder}::uuid`;
}
