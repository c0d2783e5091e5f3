import { changedFields } from "../core/changed_fields.ts";
import type { ProjectContext } from "../core/context.ts";
import { newVersion, requireVersion } from "../core/if_match.ts";
import { inOrder } from "../core/in_order.ts";
import { jsonb } from "../core/json.ts";
import { transact } from "../core/transact.ts";
import { refuseDisabledRole } from "../projects/enabled_roles.ts";
import { lockTicket } from "../tickets/lock.ts";
import { checkAssignee } from "./_assignee.ts";
import { consequences } from "./_consequences.ts";
import { checkDependencies, dependenciesUnfinished, unfinishedDependencies } from "./_dependencies.ts";
import { lockTask, outlineOf, taskColumns, type TaskOutline } from "./_rows.ts";
import type { Task, UpdateTask } from "./schema.ts";
import { checkReason, refuseTransition } from "./transitions.ts";

/**
 * Changes the given fields; null clears an optional field. A field that the caller sends wins over
 * the value that follows from the new status.
 * @throws {AppError} version_conflict; invalid_transition; dependencies_unfinished
 */
export async function updateTask(ctx: ProjectContext, given: UpdateTask): Promise<Task> {
  const input = withLists(given);
  return await transact(ctx, async (ctx) => {
    const [, before, tasks] = await inOrder(
      lockTicket(ctx, input.ticketId),
      lockTask(ctx, input),
      input.depends_on_task_ids || input.status === "in_progress" ? outlineOf(ctx, input.ticketId) : [],
    );
    requireVersion(ctx, before, "task");
    await check(ctx, input, before, tasks);
    const changed = changedColumns(ctx, before, input);
    return Object.keys(changed).length > 0 ? await write(ctx, before, changed) : before;
  });
}

type Changes = UpdateTask & Partial<Pick<Task, "depends_on_task_ids" | "acceptance_criteria">>;

/** Turns null into an empty list. */
function withLists(
  { depends_on_task_ids: dependsOn, acceptance_criteria: criteria, ...input }: UpdateTask,
): Changes {
  return {
    ...input,
    ...(dependsOn !== undefined && { depends_on_task_ids: dependsOn ?? [] }),
    ...(criteria !== undefined && { acceptance_criteria: criteria ?? [] }),
  };
}

async function check(
  ctx: ProjectContext,
  input: Changes,
  before: Task,
  tasks: TaskOutline[],
): Promise<void> {
  const { status = before.status, depends_on_task_ids: dependsOn = before.depends_on_task_ids } = input;
  refuseTransition(before, status);
  checkReason(before, status, input.blocking_reason);
  if (input.role && input.role !== before.role) refuseDisabledRole(ctx, input.role);
  if (input.depends_on_task_ids) checkDependencies(tasks, before.id, dependsOn);
  if (status === "in_progress" && before.status !== status) {
    const waiting = unfinishedDependencies(tasks, dependsOn);
    if (waiting.length > 0) throw dependenciesUnfinished(before.title, waiting);
  }
  if (input.assignee_user_id && input.assignee_user_id !== before.assignee_user_id) {
    await checkAssignee(ctx, input.assignee_user_id);
  }
}

function changedColumns({ db }: ProjectContext, before: Task, input: Changes): Record<string, unknown> {
  const { id: _id, ticketId: _ticketId, taskId: _taskId, ...fields } = input;
  const follows = input.status && input.status !== before.status
    ? consequences(db, before, input.status)
    : {};
  const given = changedFields({ ...before, ...follows }, fields);
  // A new assignee takes over a claimed task without its claim.
  const unclaimed = "assignee_user_id" in given ? { assignee_session_id: null, lease_expires_at: null } : {};
  const columns = Object.entries(given).map(([name, value]) => [name, sqlValue(db, name, value)]);
  return { ...follows, ...unclaimed, ...Object.fromEntries(columns) };
}

/** Casts arrays and JSON, whose types the driver can't tell. */
function sqlValue(db: ProjectContext["db"], name: string, value: unknown): unknown {
  if (name === "depends_on_task_ids") return db`${value as string[]}::uuid[]`;
  if (name === "acceptance_criteria") return jsonb(db, value as object);
  return value;
}

async function write({ db }: ProjectContext, { id }: Task, columns: Record<string, unknown>): Promise<Task> {
  const [task] = await db<[Task]>`
    update tasks t set ${db(columns)}, ${newVersion(db, "t")} where t.id = ${id}::uuid
    returning ${taskColumns(db)}`;
  return task;
}
