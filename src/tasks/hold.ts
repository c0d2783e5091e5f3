import { isBot, type ProjectContext } from "../core/context.ts";
import { taken } from "./_claims.ts";
import { isForeign } from "./_may_report.ts";
import { lockTask } from "./_rows.ts";
import { refuseBlocked, refuseWaiting, takeTask } from "./_take.ts";
import type { Task, TaskPath } from "./schema.ts";

/**
 * Locks the task that a call blocks. An agent must hold the task, so it claims one that is free.
 * Call it while you hold the lock of its ticket, which must be open.
 * @throws {AppError} not_found; already_claimed; dependencies_unfinished; ticket_blocked
 */
export async function holdTask(
  ctx: ProjectContext,
  path: TaskPath & { session_id?: string | undefined },
): Promise<Task> {
  const found = await lockTask(ctx, path, path.session_id);
  const { task } = found;
  if (!isBot(ctx.actor)) return task;
  const refused = `Cannot block task ${task.title}:`;
  if (isForeign(found)) throw await taken(ctx, found, refused);
  if (task.status !== "pending") return task;
  const claimed = await takeTask(ctx, ctx.db`t.id = ${task.id}::uuid`, path.session_id);
  if (claimed) return claimed;
  await refuseBlocked(ctx, task);
  await refuseWaiting(ctx, task);
  throw await taken(ctx, found, refused);
}
