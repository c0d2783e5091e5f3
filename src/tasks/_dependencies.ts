import { AppError, invalidCycle, invalidRequest } from "../core/errors.ts";
import type { TaskOutline } from "./_rows.ts";
import { isFinished } from "./transitions.ts";

/**
 * Checks that dependencies are tasks of the same ticket and form no cycle. `taskId` is null for a
 * task that doesn't exist yet, because no task can depend on it.
 * @throws {AppError} invalid_request that names each wrong id, or the cycle
 */
export function checkDependencies(
  tasks: readonly TaskOutline[],
  taskId: string | null,
  dependsOn: readonly string[],
): void {
  const known = new Map(tasks.map((task) => [task.id, task]));
  const foreign = dependsOn.flatMap((id, index) =>
    known.has(id)
      ? []
      : [{ path: `depends_on_task_ids.${index}`, message: `${id} is not a task of this ticket` }]
  );
  if (foreign.length > 0) throw invalidRequest(foreign);
  if (taskId === null) return;
  for (const [index, id] of dependsOn.entries()) {
    const way = pathBetween(known, id, taskId);
    if (way) {
      throw cycleError(
        `depends_on_task_ids.${index}`,
        [taskId, ...way].map((step) => known.get(step)!),
      );
    }
  }
}

/** Returns the ids on the path from one task along its dependencies to another, or null. */
function pathBetween(
  known: Map<string, TaskOutline>,
  from: string,
  to: string,
  seen = new Set<string>(),
): string[] | null {
  if (from === to) return [to];
  if (seen.has(from)) return null;
  seen.add(from);
  for (const next of known.get(from)?.depends_on_task_ids ?? []) {
    const way = pathBetween(known, next, to, seen);
    if (way) return [from, ...way];
  }
  return null;
}

function cycleError(path: string, cycle: TaskOutline[]): AppError {
  const titles = cycle.map(({ title }) => title).join(" → ");
  return invalidCycle(path, `Makes a cycle: ${titles}`, cycle.map(({ id }) => id));
}

/** Returns the dependencies that keep a task from being started. */
export function unfinishedDependencies(
  tasks: readonly TaskOutline[],
  dependsOn: readonly string[],
): TaskOutline[] {
  return tasks.filter((task) => dependsOn.includes(task.id) && !isFinished(task));
}

export function dependenciesUnfinished(title: string, waiting: readonly TaskOutline[]): AppError {
  const names = waiting.map((task) => `${task.title} (${task.status})`).join(", ");
  return new AppError("dependencies_unfinished", `Cannot start task ${title}: it waits for ${names}`, {
    details: { task_ids: waiting.map(({ id }) => id) },
  });
}
