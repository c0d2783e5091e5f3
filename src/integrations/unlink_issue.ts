import type { ProjectContext } from "../core/context.ts";
import { transact } from "../core/transact.ts";
import { lockTicket } from "../tickets/lock.ts";
import type { TicketPath } from "../tickets/schema.ts";

/** Removes the link; the issue stays. Unlinking again changes nothing. */
export async function unlinkIssue(ctx: ProjectContext, input: TicketPath): Promise<void> {
  await transact(ctx, async (ctx) => {
    await lockTicket(ctx, input.ticketId);
    await ctx.db`delete from ticket_issues where ticket_id = ${input.ticketId}::uuid`;
  });
}
