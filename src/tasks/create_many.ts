import { v7 as uuid } from "uuid";
import type { ProjectContext } from "../core/context.ts";
import { AppError, invalidField, invalidRequest } from "../core/errors.ts";
import { inOrder } from "../core/in_order.ts";
import { jsonb } from "../core/json.ts";
import { transact } from "../core/transact.ts";
import { refuseDisabledRole } from "../projects/enabled_roles.ts";
import { type Earlier, hashOf, idempotencyKey, replay } from "../tickets/idempotency.ts";
import { type LockedTicket, lockTicket } from "../tickets/lock.ts";
import { outlineOf, taskColumns, type TaskOutline } from "./_rows.ts";
import { type CreatedTasks, type CreateTasks, MAX_TASKS, type Task } from "./schema.ts";

/** Each task has a key of its own, which is made of the call's key and the task's number. */
const MAX_KEY = 120;

/**
 * Adds tasks behind the ticket's other tasks, all or none, once for an idempotency key.
 * @throws {AppError} not_found; conflict if the ticket would have too many tasks; invalid_request
 */
export async function createManyTasks(ctx: ProjectContext, input: CreateTasks): Promise<CreatedTasks> {
  const key = idempotencyKey(ctx, input);
  if (key !== null && [...key].length > MAX_KEY) {
    throw invalidField("idempotency_key", `Must have at most ${MAX_KEY} characters`);
  }
  const keys = key === null ? [] : input.tasks.map((_, at) => `${key}/${at + 1}`);
  return await transact(ctx, async (ctx) => {
    const [ticket, existing, earlier] = await inOrder(
      lockTicket(ctx, input.ticketId),
      outlineOf(ctx, input.ticketId),
      earlierTasks(ctx, input.ticketId, keys),
    );
    if (earlier.length > 0) {
      const response = { tasks: earlier.map(({ response }) => response) };
      return replay(ctx, { response, body_sha256: earlier[0]!.body_sha256 }, hashOf(input));
    }
    check(ctx, ticket, existing, input);
    const tasks = await insertTasks(ctx, input, existing.length);
    if (key !== null) await keepAnswers(ctx, input, keys, tasks);
    return { tasks };
  });
}

async function earlierTasks(
  { db }: ProjectContext,
  ticketId: string,
  keys: string[],
): Promise<Earlier<Task>[]> {
  return await db<Earlier<Task>[]>`
    select c.response, c.body_sha256 from unnest(${keys}::text[]) with ordinality as k (key, place)
    join part_creations c on c.ticket_id = ${ticketId}::uuid and c.part = 'task' and c.idempotency_key = k.key
    order by k.place`;
}

function check(
  ctx: ProjectContext,
  ticket: LockedTicket,
  existing: TaskOutline[],
  { tasks }: CreateTasks,
): void {
  if (existing.length + tasks.length > MAX_TASKS) {
    const most = `it may have ${MAX_TASKS} tasks and has ${existing.length} already`;
    throw new AppError(
      "conflict",
      `Cannot add ${tasks.length} tasks to ticket ${ticket.ticket_ref}: ${most}`,
    );
  }
  const known = new Set(existing.map(({ id }) => id));
  const issues = tasks.flatMap(({ after = [], depends_on_task_ids = [] }, at) => [
    ...after.flatMap((number, place) =>
      number > at
        ? [{
          path: `tasks.${at}.after.${place}`,
          message: `Task ${number} does not come before task ${at + 1}`,
        }]
        : []
    ),
    ...depends_on_task_ids.flatMap((id, place) =>
      known.has(id) ? [] : [{
        path: `tasks.${at}.depends_on_task_ids.${place}`,
        message: `${id} is not a task of this ticket`,
      }]
    ),
  ]);
  if (issues.length > 0) throw invalidRequest(issues);
  for (const [at, { role }] of tasks.entries()) refuseDisabledRole(ctx, role, `tasks.${at}.role`);
}

async function insertTasks(
  { db, project }: ProjectContext,
  { ticketId, tasks }: CreateTasks,
  before: number,
): Promise<Task[]> {
  const ids = tasks.map(() => uuid());
  const rows = tasks.map(({ after = [], depends_on_task_ids = [], ...task }, at) => ({
    ...task,
    id: ids[at],
    sequence: before + at + 1,
    acceptance_criteria: task.acceptance_criteria ?? [],
    depends: [...new Set([...depends_on_task_ids, ...after.map((number) => ids[number - 1])])],
  }));
  const made = await db<Task[]>`
    insert into tasks as t (id, ticket_id, project_id, sequence, title, body, role, depends_on_task_ids,
      acceptance_criteria, estimated_minutes)
    select r.id, ${ticketId}::uuid, ${project.id}::uuid, r.sequence, r.title, r.body, r.role, r.depends,
      r.acceptance_criteria, r.estimated_minutes
    from jsonb_to_recordset(${
    jsonb(db, rows)
  }) as r (id uuid, sequence integer, title text, body text, role text,
      depends uuid[], acceptance_criteria jsonb, estimated_minutes integer)
    order by r.sequence returning ${taskColumns(db)}`;
  return made.toSorted((a, b) => a.sequence - b.sequence);
}

async function keepAnswers(
  { db }: ProjectContext,
  input: CreateTasks,
  keys: string[],
  tasks: Task[],
): Promise<void> {
  await db`
    insert into part_creations (ticket_id, part, idempotency_key, response, body_sha256)
    select ${input.ticketId}::uuid, 'task', k.key, r.response, ${hashOf(input)}
    from unnest(${keys}::text[]) with ordinality as k (key, place)
    join jsonb_array_elements(${jsonb(db, tasks)}) with ordinality as r (response, place) using (place)`;
}
