import { readTogether } from "../core/batches.ts";
import type { ProjectContext } from "../core/context.ts";
import { requireTicket } from "../tickets/get.ts";
import type { TicketPath } from "../tickets/schema.ts";
import { taskColumns } from "./_rows.ts";
import type { Task } from "./schema.ts";

/** All tasks of a ticket in their order. */
export async function listTasks(ctx: ProjectContext, input: TicketPath): Promise<{ tasks: Task[] }> {
  const tasks = await readTogether(
    ctx,
    `tasks:${ctx.project.id}`,
    input.ticketId,
    (ticketIds) => tasksByTicket(ctx, ticketIds),
  );
  // Where there are tasks there is a ticket: one statement for nearly all calls.
  if (tasks.length === 0) await requireTicket(ctx, input.ticketId);
  return { tasks };
}

async function tasksByTicket({ db, project }: ProjectContext, ticketIds: string[]): Promise<Task[][]> {
  const tasks = await db<Task[]>`
    select ${taskColumns(db)} from tasks t
    where t.ticket_id = any (${ticketIds}::uuid[]) and t.project_id = ${project.id}::uuid
    order by t.ticket_id, t.sequence`;
  const byTicket = Map.groupBy(tasks, ({ handoff_request_id }) => handoff_request_id);
  return ticketIds.map((id) => byTicket.get(id) ?? []);
}
