import { batchedRead } from "../core/batched_read.ts";
import type { ProjectContext } from "../core/context.ts";
import { requireTicket } from "../tickets/get.ts";
import type { TicketPath } from "../tickets/schema.ts";
import { taskColumns } from "./_rows.ts";
import type { Task } from "./schema.ts";

/** All tasks of a ticket in their order. */
export async function listTasks(ctx: ProjectContext, input: TicketPath): Promise<{ tasks: Task[] }> {
  const tasks = await tasksByTicket.get(ctx, input.ticketId);
  if (tasks) return { tasks };
  // A ticket with tasks exists, so nearly all calls need one statement.
  await requireTicket(ctx, input.ticketId);
  return { tasks: [] };
}

const tasksByTicket = batchedRead({
  name: "tasks",
  scope: ({ project }: ProjectContext) => ({ projectId: project.id }),
  async load(db, { projectId }, ticketIds) {
    const tasks = await db<Task[]>`
      select ${taskColumns(db)} from tasks t
      where t.ticket_id = any (${ticketIds}::uuid[]) and t.project_id = ${projectId}::uuid
      order by t.ticket_id, t.sequence`;
    return Map.groupBy(tasks, ({ handoff_request_id }) => handoff_request_id);
  },
});
