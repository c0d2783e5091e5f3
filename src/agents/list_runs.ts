import type { ProjectContext } from "../core/context.ts";
import { noSuchTicket } from "../tickets/lock.ts";
import { runColumns } from "./_rows.ts";
import type { AgentRun, ListRuns } from "./schema.ts";

/** The agent runs of a ticket, oldest first. */
export async function listAgentRuns(ctx: ProjectContext, input: ListRuns) {
  const tickets = await ctx.db`
    select from tickets where id = ${input.ticketId}::uuid and project_id = ${ctx.project.id}::uuid`;
  if (tickets.count === 0) throw noSuchTicket();
  const runs = await ctx.db<AgentRun[]>`
    select ${runColumns(ctx.db)} from agent_runs r
    where r.ticket_id = ${input.ticketId}::uuid and r.project_id = ${ctx.project.id}::uuid order by r.id`;
  return { agent_runs: [...runs], next_cursor: null };
}
