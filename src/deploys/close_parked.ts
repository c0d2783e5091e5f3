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

/** Past the same gates as anyone. */
export async function closeAsCompleted(ctx: Context, ids: readonly string[]): Promise<number> {
  if (ids.length === 0) return 0;
  const results = await transitionTickets(ctx, null, ids, { to: "live", resolution: { type: "completed" } });
  return results.filter(({ changed }) => changed).length;
}
