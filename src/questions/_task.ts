import type { ProjectContext } from "../core/context.ts";
import { requireScope } from "../core/access.ts";
import { AppError, invalidField } from "../core/errors.ts";
import { newVersion } from "../core/if_match.ts";
import { holdTask } from "../tasks/hold.ts";
import type { TaskPath } from "../tasks/schema.ts";
import { isFinished } from "../tasks/transitions.ts";

/** The status of a task before a question blocked it. */
export type TaskBefore = "pending" | "in_progress";

/** The limit of a blocking reason, in characters. */
const MAX_REASON = 2000;

/**
 * An API key that ends a question needs the right to change tasks, if the end lets a task continue.
 */
export function requireScopeOf({ actor }: ProjectContext, { task_id }: { task_id: string | null }): void {
  if (task_id !== null) requireScope(actor, "tasks:write");
}

/**
 * Blocks the task that waits for a question. Its claim stays, but its lease does not expire while a
 * person thinks. An agent claims a free task by that. A task that somebody blocked for another
 * reason keeps that reason. Call it while you hold the ticket's lock.
 * @returns the status that the task had; null if the question doesn't block it
 * @throws {AppError} invalid_request for a task of another ticket; invalid_transition for a
 * finished one; already_claimed for an agent that doesn't hold the task; dependencies_unfinished;
 * insufficient_scope for a key that may not write tasks
 */
export async function blockTask(
  ctx: ProjectContext,
  { prompt, ...path }: TaskPath & { prompt: string; session_id?: string | undefined },
): Promise<TaskBefore | null> {
  const { db, actor } = ctx;
  requireScope(actor, "tasks:write");
  const { id, title, status } = await holdTask(ctx, path).catch((error: unknown) => {
    if (error instanceof AppError && error.code === "not_found") {
      throw invalidField("task_id", "No such task on this ticket");
    }
    throw error;
  });
  if (isFinished({ status })) {
    throw new AppError("invalid_transition", `Cannot block task ${title}: it is ${status}`);
  }
  if (status === "blocked") {
    const [asked] = await db<{ was: TaskBefore }[]>`
      select task_was as was from questions
      where task_id = ${id}::uuid and status = 'pending' and task_was is not null order by id desc limit 1`;
    return asked?.was ?? null;
  }
  const reason = [...prompt].slice(0, MAX_REASON).join("");
  await Promise.all([
    db`
      update tasks t set status = 'blocked', blocking_reason = ${reason}, lease_expires_at = null, ${
      newVersion(db, "t")
    }
      where t.id = ${id}::uuid`,
    // A person may have unblocked the task. Then its other pending questions block it again.
    db`update questions set task_was = ${status} where task_id = ${id}::uuid and status = 'pending'`,
  ]);
  return status as TaskBefore;
}
