import type { ProjectContext } from "../core/context.ts";
import { requireTicket } from "../tickets/get.ts";
import { tasksOf } from "./_rows.ts";
import type { Task } from "./schema.ts";

/** All tasks of a ticket in their order. */
export async function listTasks(
  ctx: ProjectContext,
  input: { ticketId: string },
): Promise<{ tasks: Task[] }> {
  const [tasks] = await Promise.all([tasksOf(ctx, input.ticketId), requireTicket(ctx, input.ticketId)]);
  return { tasks };
}
