import { AppError, invalidField } from "../core/errors.ts";
import type { Task, TaskStatus } from "./schema.ts";

/** The statuses that may follow each status. */
export const TASK_TRANSITIONS: Record<TaskStatus, readonly TaskStatus[]> = {
  pending: ["in_progress", "blocked", "skipped"],
  in_progress: ["blocked", "done", "pending", "skipped"],
  blocked: ["pending", "in_progress", "skipped"],
  done: ["pending"],
  skipped: ["pending"],
};

/** Tells whether nothing is left to do for a task or a role. */
export function isFinished({ status }: { status: TaskStatus }): boolean {
  return status === "done" || status === "skipped";
}

/** @throws {AppError} invalid_transition */
export function refuseTransition(task: Pick<Task, "title" | "status">, to: TaskStatus): void {
  if (task.status === to || TASK_TRANSITIONS[task.status].includes(to)) return;
  const allowed = TASK_TRANSITIONS[task.status].join(", ");
  throw new AppError(
    "invalid_transition",
    `Cannot set task ${task.title} to ${to}: it is ${task.status}, and may only change to ${allowed}`,
  );
}

/**
 * Checks that only blocked tasks have a reason and that every blocked task has one. A task that
 * stays blocked keeps its reason.
 * @throws {AppError} invalid_request
 */
export function checkReason(task: Task, to: TaskStatus, given: string | null | undefined): void {
  if (to === "blocked" && (given === undefined ? task.blocking_reason : given) === null) {
    throw invalidField("blocking_reason", "Required when the status is blocked");
  }
  if (to !== "blocked" && given) {
    throw invalidField("blocking_reason", "Only a blocked task has a blocking reason");
  }
}
