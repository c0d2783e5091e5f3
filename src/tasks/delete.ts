import { isBot, type ProjectContext } from "../core/context.ts";
import { newVersion, requireVersion } from "../core/if_match.ts";
import { inOrder } from "../core/in_order.ts";
import { transact } from "../core/transact.ts";
import { lockTicket } from "../tickets/lock.ts";
import { taken } from "./_claims.ts";
import { isForeign } from "./_may_report.ts";
import { lockTask } from "./_rows.ts";
import { lockTasks } from "./lock.ts";
import type { DeleteTask } from "./schema.ts";

/**
 * Deletes a task. Later tasks move up, and no other task depends on it any more.
 * @throws {AppError} version_conflict; already_claimed for an agent that doesn't hold the task
 */
export async function deleteTask(ctx: ProjectContext, input: DeleteTask): Promise<void> {
  await transact(ctx, async (ctx) => {
    const { db } = ctx;
    const [, , found] = await inOrder(
      lockTicket(ctx, input.ticketId),
      lockTasks(ctx, [input.ticketId]),
      lockTask(ctx, input, input.session_id),
    );
    const { task } = found;
    requireVersion(ctx, task, "task");
    if (isBot(ctx.actor) && isForeign(found)) {
      throw await taken(ctx, found, `Cannot delete task ${task.title}:`);
    }
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
