import type { Context } from "../core/context.ts";
import { transact } from "../core/history.ts";
import { transitionTickets } from "../tickets/transition.ts";
import { closingLine, isDeployed } from "./_closing_line.ts";
import type { Promotion } from "./schema.ts";

/**
 * Closes the tickets that are parked on a deployed sha, all in one go; answers how many. What a gate holds back, or
 * someone reopened, stays as it is. Running it again closes nothing more.
 */
export async function closeParkedTickets(ctx: Context, { repo, sha }: Promotion): Promise<number> {
  return await transact(ctx, async (ctx) => {
    const parked = await ctx.db<{ id: string }[]>`
      select t.id from tickets t
      where t.merge_sha = ${sha} and ${isDeployed(ctx.db)} and ${closingLine(ctx.db)}
        and t.project_id in (select project_id from project_repositories where lower(full_name) = ${repo})`;
    return await closeAsCompleted(ctx, parked.map(({ id }) => id));
  });
}

/**
 * The same at the moment in which the sha goes live: a ticket that closes is stamped by the statement that closes it,
 * so that 1,000 of them are written once and not twice. Those that stay open are left to be stamped.
 */
export async function promoteParkedTickets(
  ctx: Context,
  { repo, sha }: Promotion,
): Promise<{ stamped: number; closed: number }> {
  const { db } = ctx;
  const ofSha = db`t.merge_sha = ${sha} and t.status = 'open'
    and t.project_id in (select project_id from project_repositories where lower(full_name) = ${repo})`;
  // Rows are locked in id order, as by every other change of many tickets, and read only then.
  const [, parked] = await Promise.all([
    db`select from tickets t where ${ofSha} order by t.id for update`,
    db<{ id: string; unstamped: boolean }[]>`
      select t.id, t.deployed_at is null as unstamped from tickets t
      where ${ofSha} and (t.deployed_at is null or ${isDeployed(db)}) and ${closingLine(db)}`,
  ]);
  const closed = await closeAsCompleted(ctx, parked.map(({ id }) => id), true);
  return { stamped: parked.filter(({ unstamped }) => unstamped).length, closed };
}

/** Past the same gates as anyone. */
export async function closeAsCompleted(
  ctx: Context,
  ids: readonly string[],
  deployed = false,
): Promise<number> {
  if (ids.length === 0) return 0;
  const results = await transitionTickets(ctx, null, ids, {
    to: "live",
    resolution: { type: "completed" },
    deployed,
  });
  return results.filter(({ changed }) => changed).length;
}
