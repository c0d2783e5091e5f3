import type { ProjectContext } from "../core/context.ts";
import { newVersion, requireVersion } from "../core/if_match.ts";
import { inOrder } from "../core/in_order.ts";
import { transact } from "../core/transact.ts";
import { lockTicket } from "../tickets/lock.ts";
import { lockTask } from "./_rows.ts";
import { lockTasks } from "./lock.ts";
import type { TaskPath } from "./schema.ts";

/** Deletes a task. Later tasks move up, and no other task depends on it any more. */
export async function deleteTask(ctx: ProjectContext, input: TaskPath): Promise<void> {
  await transact(ctx, async (ctx) => {
    const { db } = ctx;
    const [, , task] = await inOrder(
      lockTicket(ctx, input.ticketId),
      lockTasks(ctx, [input.ticketId]),
      lockTask(ctx, input),
    );
    requireVersion(ctx, task, "task");
    await inOrder(
      db`delete from tasks where id = ${task.id}::uuid`,
      db`
        update tasks set sequence = case when sequence > ${task.sequence} then sequence - 1 else sequence end,
          depends_on_task_ids = array_remove(depends_on_task_ids, ${task.id}::uuid), ${
        newVersion(db, "tasks")
      }
        where ticket_id = ${input.ticketId}::uuid and (sequence > ${task.sequence} or ${task.id}::uuid = any (depends_on_task_ids))`,
    );
  });
}
