import { v7 as uuid } from "uuid";
import type { ProjectContext } from "../core/context.ts";
import { jsonb } from "../core/json.ts";
import { taskColumns } from "./_rows.ts";
import type { CreateTask, Task } from "./schema.ts";

/** Stores a checked task. Call it while you hold the ticket's lock. */
export async function insertTask(
  ctx: ProjectContext,
  input: Omit<CreateTask, "id">,
  sequence: number,
): Promise<Task> {
  const { db, project } = ctx;
  const [task] = await db<[Task]>`
    insert into tasks as t (id, ticket_id, project_id, sequence, title, body, summary, role, depends_on_task_ids,
      acceptance_criteria, estimated_minutes, assignee_user_id)
    values (${uuid()}::uuid, ${input.ticketId}::uuid, ${project.id}::uuid, ${sequence}, ${input.title}, ${
    input.body ?? null
  },
      ${input.summary ?? null}, ${input.role}, ${input.depends_on_task_ids ?? []}::uuid[],
      ${jsonb(db, input.acceptance_criteria ?? [])}, ${input.estimated_minutes ?? null},
      ${input.assignee_user_id ?? null}::uuid)
    returning ${taskColumns(db)}`;
  return task;
}
