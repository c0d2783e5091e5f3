import type { Context } from "../core/context.ts";
import { transact } from "../core/transact.ts";
import { isDeployed, readyToClose } from "./_ready_to_close.ts";
import { closeAsCompleted } from "./close_parked.ts";

/**
 * Closes the named tickets whose sha is deployed and that wait for nothing more. Returns the closed
 * ones.
 */
export async function closeFinishedTickets(
  ctx: Context,
  projectId: string,
  ticketIds: readonly string[],
): Promise<string[]> {
  return await transact(ctx, async (ctx) => {
    const due = await ctx.db<{ id: string }[]>`
      select t.id from tickets t
      where t.id = any (${[...ticketIds]}::uuid[]) and t.project_id = ${projectId}::uuid and ${
      readyToClose(ctx.db)
    }
        and ${isDeployed(ctx.db)}
      order by t.id for update of t`;
    return await closeAsCompleted(ctx, due.map(({ id }) => id));
  });
}
