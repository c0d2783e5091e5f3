import type { ProjectContext } from "../core/context.ts";
import { requireTicket } from "../tickets/get.ts";
import type { TicketPath } from "../tickets/schema.ts";
import { runColumns } from "./_rows.ts";
import type { AgentRun } from "./schema.ts";

/** The agent runs of a ticket, oldest first. */
export async function listAgentRuns(ctx: ProjectContext, input: TicketPath) {
  await requireTicket(ctx, input.ticketId);
  const runs = await ctx.db<AgentRun[]>`
    select ${runColumns(ctx.db)} from agent_runs r
    where r.ticket_id = ${input.ticketId}::uuid and r.project_id = ${ctx.project.id}::uuid order by r.id`;
  return { agent_runs: runs, next_cursor: null };
}
