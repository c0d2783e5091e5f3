import type { ProjectContext } from "../core/context.ts";
import { requireTicket } from "../tickets/get.ts";
import { tasksOf } from "./_rows.ts";
import type { Task } from "./schema.ts";

/** All tasks of a ticket in their order. */
export async function listTasks(
  ctx: ProjectContext,
  input: { ticketId: string },
): Promise<{ tasks: Task[] }> {
  const tasks = await tasksOf(ctx, input.ticketId);
  // Where there are tasks there is a ticket: one statement for nearly all calls.
  if (tasks.length === 0) await requireTicket(ctx, input.ticketId);
  return { tasks };
}
