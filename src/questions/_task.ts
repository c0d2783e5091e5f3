import { blockTask, type TaskBefore } from "../assignments/question_block.ts";
import type { ProjectContext } from "../core/context.ts";
import { requireScope } from "../core/access.ts";
import { AppError, invalidField } from "../core/errors.ts";
import { holdTask } from "../tasks/hold.ts";
import type { TaskPath } from "../tasks/schema.ts";
import { isFinished } from "../tasks/transitions.ts";

/**
 * An API key that ends a question needs the right to change tasks, if the end lets a task continue.
 */
export function requireScopeOf({ actor }: ProjectContext, { task_id }: { task_id: string | null }): void {
  if (task_id !== null) requireScope(actor, "tasks:write");
}

/**
 * Blocks the task that waits for a question. An agent claims a free task by that. Call it while you
 * hold the ticket's lock.
 * @returns the status that the task had; null if the question doesn't block it
 * @throws {AppError} invalid_request for a task of another ticket; invalid_transition for a
 * finished one; already_claimed for an agent that doesn't hold the task; dependencies_unfinished;
 * insufficient_scope for a key that may not write tasks
 */
export async function blockHeldTask(
  ctx: ProjectContext,
  { prompt, ...path }: TaskPath & { prompt: string; session_id?: string | undefined },
): Promise<TaskBefore | null> {
  requireScope(ctx.actor, "tasks:write");
  const task = await holdTask(ctx, path).catch((error: unknown) => {
    if (error instanceof AppError && error.code === "not_found") {
      throw invalidField("task_id", "No such task on this ticket");
    }
    throw error;
  });
  if (isFinished(task)) {
    throw new AppError("invalid_transition", `Cannot block task ${task.title}: it is ${task.status}`);
  }
  return await blockTask(ctx, task, prompt);
}
