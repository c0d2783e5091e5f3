import type { ProjectContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { runColumns } from "./_rows.ts";
import type { AgentRun, RunPath } from "./schema.ts";

export async function getAgentRun(ctx: ProjectContext, input: RunPath): Promise<AgentRun> {
  const [run] = await ctx.db<AgentRun[]>`
    select ${runColumns(ctx.db)} from agent_runs r
    where r.id = ${input.runId}::uuid and r.ticket_id = ${input.ticketId}::uuid and r.project_id = ${ctx.project.id}::uuid`;
  if (!run) throw new AppError("not_found", "No such agent run on this ticket");
  return run;
}
