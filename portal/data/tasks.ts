import { handoff, trpc } from "../api/client.ts";
import type { Inputs, Task } from "../api/types.ts";
import type { TicketAt } from "./changes.ts";
import { ticketChange } from "./changing.ts";

export const tasksQuery = (at: TicketAt) => trpc.tasks.list.queryOptions(at);

/** The fields of a task that a change sets. */
export type TaskFields = Omit<Inputs["tasks"]["update"], keyof TicketAt | "taskId">;

export function createTask(at: TicketAt) {
  return ticketChange(
    at,
    (input: Omit<Inputs["tasks"]["create"], keyof TicketAt>) =>
      handoff.api.tasks.create.mutate({ ...at, ...input }),
  );
}

/** Changes the task in the version that the person has seen. */
export function updateTask(at: TicketAt, task: Pick<Task, "id" | "version">) {
  return ticketChange(
    at,
    (fields: TaskFields) =>
      handoff.api.tasks.update.mutate({ ...at, taskId: task.id, ...fields }, {
        context: { ifMatch: task.version },
      }),
  );
}

/** Gives a task to a person, in any version of the task. */
export function assignTask(at: TicketAt) {
  return ticketChange(
    at,
    (input: { taskId: string; assignee_user_id: string }) =>
      handoff.api.tasks.update.mutate({ ...at, ...input }),
  );
}

export function actOnTask(at: TicketAt, taskId: string) {
  return ticketChange(
    at,
    async (act: "claim" | "release" | "takeOver" | "delete"): Promise<unknown> =>
      await handoff.api.tasks[act].mutate({ ...at, taskId }),
  );
}

export function reorderTasks(at: TicketAt) {
  return ticketChange(
    at,
    (task_ids: string[]) => handoff.api.tasks.reorder.mutate({ ...at, task_ids }),
  );
}
