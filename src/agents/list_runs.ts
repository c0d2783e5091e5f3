import type { ProjectContext } from "../core/context.ts";
import { afterId, page } from "../core/cursor.ts";
import { pageLimit } from "../core/planner.ts";
import { requireTicket } from "../tickets/get.ts";
import { runColumns } from "./_rows.ts";
import type { AgentRun, ListRuns } from "./schema.ts";

/** Returns one page of the agent runs of a ticket, oldest first. */
export async function listAgentRuns(ctx: ProjectContext, input: ListRuns) {
  const { db, project } = ctx;
  await requireTicket(ctx, input.ticketId);
  const runs = await db<AgentRun[]>`
    select ${runColumns(db)} from agent_runs r
    where r.ticket_id = ${input.ticketId}::uuid and r.project_id = ${project.id}::uuid
      ${afterId(db, "r.id", input.cursor)}
    order by r.id limit ${pageLimit(db, input.limit)}`;
  const { items, next_cursor } = page(runs, input.limit, ({ id }) => [id]);
  return { agent_runs: items, next_cursor };
}
