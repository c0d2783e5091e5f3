import type { Task } from "../api/types.ts";

/** The fields of a task while they are edited. */
export type TaskDraft = ReturnType<typeof draftOf>;

export function draftOf(task: Task) {
  return {
    title: task.title,
    body: task.body ?? "",
    role: task.role,
    minutes: task.estimated_minutes === null ? "" : String(task.estimated_minutes),
    criteria: task.acceptance_criteria.map(({ text }) => text).join("\n"),
    before: task.depends_on_task_ids,
    assignee: task.assignee_user_id,
    /** The version for which the person began to edit the task. */
    version: task.version,
  };
}
