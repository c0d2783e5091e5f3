import type { Context } from "../core/context.ts";
import { transact } from "../core/history.ts";
import { transitionTickets } from "../tickets/transition.ts";
import { closingLine, waitsForNoDeploy } from "./_closing_line.ts";

/** Closes those of the named tickets that wait for nothing more, by the sweep's own rule; answers which. */
export async function closeFinishedTickets(
  ctx: Context,
  projectId: string,
  ticketIds: readonly string[],
): Promise<string[]> {
  return await transact(ctx, async (ctx) => {
    const due = await ctx.db<{ id: string }[]>`
      select t.id from tickets t
      where t.id = any (${[...ticketIds]}::uuid[]) and ${closingLine(ctx.db)}
        and ${waitsForNoDeploy(ctx.db)}`;
    if (due.length === 0) return [];
    const results = await transitionTickets(ctx, projectId, due.map(({ id }) => id), { to: "live" });
    return results.filter(({ changed }) => changed).map(({ id }) => id);
  });
}
