import { visibleProjects } from "../core/access.ts";
import type { ActorContext } from "../core/context.ts";
import { AppError, invalidField } from "../core/errors.ts";
import { locateProject } from "../projects/locate.ts";
import { keyOf, numberOf } from "../tickets/schema.ts";
import { noSuchTask } from "./_rows.ts";
import { taskName, type TaskPath } from "./schema.ts";

/** A task that an agent names, with the names that people use. */
export interface LocatedTask {
  path: TaskPath;
  /** The ticket's ref, such as HO-12. */
  ref: string;
  /** The task's name, such as HO-12/3. */
  name: string;
}

interface Named {
  /** The task's name or id. */
  task: string;
  /** The ref of the ticket that the task must belong to. */
  ticket?: string | undefined;
}

interface TaskAtRef {
  id: string;
  ticketId: string;
  taskId: string;
  ref: string;
  number: number;
}

/**
 * Finds a task by its name or id in the projects that the caller may see.
 * @throws {AppError} not_found; invalid_request if the task's name has another ticket
 */
export async function locateTask(ctx: ActorContext, { task, ticket }: Named): Promise<LocatedTask> {
  const [ref, number] = task.includes("/") ? task.split("/") as [string, string] : [ticket, null];
  if (ticket !== undefined && ref !== undefined && numberOf(ref) !== numberOf(ticket)) {
    throw invalidField("task_id", `${task} is no task of ${ticket}`);
  }
  const project = ref === undefined ? null : await locateProject(ctx, keyOf(ref));
  if (ticket !== undefined && project?.id !== (await locateProject(ctx, keyOf(ticket))).id) {
    throw invalidField("task_id", `${task} is no task of ${ticket}`);
  }
  const { db, actor } = ctx;
  const [found] = await db<TaskAtRef[]>`
    select t.project_id as id, t.ticket_id as "ticketId", t.id as "taskId", t.number, p.key || '-' || k.number as ref
    from tasks t join tickets k on k.id = t.ticket_id join projects p on p.id = t.project_id
    where ${
    project ? db`t.project_id = ${project.id}::uuid` : db`t.project_id in ${visibleProjects(db, actor)}`
  }
      ${ref === undefined ? db`` : db`and k.number = ${numberOf(ref)} and k.project_id = t.project_id`}
      and ${number === null ? db`t.id = ${task}::uuid` : db`t.number = ${Number(number)}`}`;
  if (!found) throw ref === undefined ? new AppError("not_found", "You see no such task") : noSuchTask();
  const { ref: current, number: place, ...path } = found;
  return { path, ref: current, name: taskName(current, { number: place }) };
}
