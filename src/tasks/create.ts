import type { ProjectContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { inOrder } from "../core/in_order.ts";
import { transact } from "../core/transact.ts";
import { refuseDisabledRole } from "../projects/enabled_roles.ts";
import { type LockedTicket, lockTicket } from "../tickets/lock.ts";
import { makeOnce } from "../tickets/idempotency.ts";
import { checkAssignee } from "../projects/check_assignee.ts";
import { checkDependencies } from "./_dependencies.ts";
import { insertTask } from "./_insert.ts";
import { outlineOf, type TaskOutline } from "./_rows.ts";
import { type CreatedTask, type CreateTask, MAX_TASKS, type Task } from "./schema.ts";

/** Adds a task behind the ticket's other tasks, once for an idempotency key. */
export async function createTask(ctx: ProjectContext, input: CreateTask): Promise<CreatedTask> {
  return await transact(ctx, async (ctx) => {
    const [ticket, tasks] = await inOrder(
      lockTicket(ctx, input.ticketId),
      outlineOf(ctx, input.ticketId),
    );
    return await makeOnce(ctx, "task", input, () => addTask(ctx, ticket, tasks, input));
  });
}

async function addTask(
  ctx: ProjectContext,
  ticket: LockedTicket,
  tasks: TaskOutline[],
  input: CreateTask,
): Promise<Task> {
  refuseDisabledRole(ctx, input.role);
  if (tasks.length >= MAX_TASKS) {
    throw new AppError(
      "conflict",
      `Cannot add a task to ticket ${ticket.ticket_ref}: it has ${MAX_TASKS} already`,
    );
  }
  checkDependencies(tasks, null, input.depends_on_task_ids ?? []);
  if (input.assignee_user_id) await checkAssignee(ctx, input.assignee_user_id);
  return await insertTask(ctx, input, tasks.length + 1);
}
