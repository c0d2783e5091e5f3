import type { Context } from "../core/context.ts";
import { transact } from "../core/history.ts";
import { transitionTickets } from "../tickets/transition.ts";
import { closingLine, isDeployed } from "./_closing_line.ts";

/** Closes those of the named tickets that wait for nothing more, by the sweep's own rule; answers which. */
export async function closeFinishedTickets(
  ctx: Context,
  projectId: string,
  ticketIds: readonly string[],
): Promise<string[]> {
  return await transact(ctx, async (ctx) => {
    const due = await ctx.db<{ id: string }[]>`
      select t.id from tickets t
      where t.id = any (${[...ticketIds]}::uuid[]) and ${closingLine(ctx.db)} and (${
      isDeployed(ctx.db)
    } or not exists (
        select from project_repositories r join deploy_reports d on d.repo = lower(r.full_name)
        where r.project_id = t.project_id))`;
    if (due.length === 0) return [];
    const results = await transitionTickets(ctx, projectId, due.map(({ id }) => id), { to: "live" });
    return results.filter(({ changed }) => changed).map(({ id }) => id);
  });
}
