import type { ProjectContext } from "../core/context.ts";
import { requireScope } from "../core/access.ts";
import { AppError, invalidField } from "../core/errors.ts";
import { newVersion } from "../core/if_match.ts";

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
 * person thinks. A task that somebody blocked for another reason keeps that reason. Call it while
 * you hold the ticket's lock.
 * @returns the status that the task had; null if the question doesn't block it
 * @throws {AppError} invalid_request for a task of another ticket; invalid_transition for a
 * finished one; insufficient_scope for a key that may not write tasks
 */
export async function blockTask(
  { db, actor }: ProjectContext,
  { ticketId, taskId, prompt }: { ticketId: string; taskId: string; prompt: string },
): Promise<TaskBefore | null> {
  requireScope(actor, "tasks:write");
  const [task] = await db<{ title: string; status: string; was: TaskBefore | null }[]>`
    select t.title, t.status, (select q.task_was from questions q
      where q.task_id = t.id and q.status = 'pending' and q.task_was is not null order by q.id desc limit 1) as was
    from tasks t where t.id = ${taskId}::uuid and t.ticket_id = ${ticketId}::uuid for update of t`;
  if (!task) throw invalidField("task_id", "No such task on this ticket");
  if (task.status === "done" || task.status === "skipped") {
    throw new AppError("invalid_transition", `Cannot block task ${task.title}: it is ${task.status}`);
  }
  if (task.status === "blocked") return task.was;
  const reason = [...prompt].slice(0, MAX_REASON).join("");
  await Promise.all([
    db`
      update tasks t set status = 'blocked', blocking_reason = ${reason}, lease_expires_at = null, ${
      newVersion(db, "t")
    }
      where t.id = ${taskId}::uuid`,
    // A person may have unblocked the task. Then its other pending questions block it again.
    db`update questions set task_was = ${task.status} where task_id = ${taskId}::uuid and status = 'pending'`,
  ]);
  return task.status as TaskBefore;
}
