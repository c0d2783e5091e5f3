import { renewedLease } from "../assignments/lease.ts";
import { changedFields } from "../core/changed_fields.ts";
import { isBot, type ProjectContext } from "../core/context.ts";
import { counted } from "../core/counted.ts";
import { AppError } from "../core/errors.ts";
import { newVersion, requireVersion } from "../core/if_match.ts";
import { inOrder } from "../core/in_order.ts";
import { jsonb } from "../core/json.ts";
import { transact } from "../core/transact.ts";
import { checkAssignee } from "../projects/check_assignee.ts";
import { refuseDisabledRole } from "../projects/enabled_roles.ts";
import { lockTicket } from "../tickets/lock.ts";
import { claimColumns } from "./_claims.ts";
import { consequences } from "./_consequences.ts";
import { checkDependencies, dependenciesUnfinished, unfinishedDependencies } from "./_dependencies.ts";
import { keepLateReport } from "./_late_report.ts";
import { refusalOfAgent, starts } from "./_may_report.ts";
import { type Held, lockTask, outlineOf, taskColumns, type TaskOutline } from "./_rows.ts";
import type { Task, UpdateTask } from "./schema.ts";
import { checkReason, refuseTransition } from "./transitions.ts";

/**
 * Changes the given fields; null clears an optional field. A field that the caller sends wins over
 * the value that follows from the new status. An agent changes only what it holds and what nobody
 * holds, and claims the task that it starts. Its reports extend its claim.
 * @throws {AppError} version_conflict; already_claimed; invalid_transition;
 * dependencies_unfinished; conflict when an agent starts a task of a closed ticket
 */
export async function updateTask(ctx: ProjectContext, given: UpdateTask): Promise<Task> {
  const input = withLists(given);
  const outcome = await transact(ctx, async (ctx): Promise<Task | { refusal: AppError }> => {
    const [ticket, found, tasks] = await inOrder(
      lockTicket(ctx, input.ticketId),
      lockTask(ctx, input, input.session_id),
      input.depends_on_task_ids || input.status === "in_progress" ? outlineOf(ctx, input.ticketId) : [],
    );
    const { task: before } = found;
    requireVersion(ctx, before, "task");
    if (isBot(ctx.actor)) {
      const refusal = await refusalOfAgent(ctx, ticket, found, fieldsOf(input));
      // The refusal is thrown behind the commit, because the comment stays.
      if (refusal?.code === "already_claimed") {
        return { refusal: await keepLateReport(ctx, before, input, refusal) };
      }
      if (refusal) throw refusal;
    }
    await check(ctx, input, before, tasks);
    const changed = changedColumns(ctx, found, input);
    return Object.keys(changed).length > 0 ? await write(ctx, before, changed) : await keepClaim(ctx, found);
  });
  if ("refusal" in outcome) throw outcome.refusal;
  return outcome;
}

type Changes = UpdateTask & Partial<Pick<Task, "depends_on_task_ids" | "acceptance_criteria">>;

/** The columns that the call names. */
function fieldsOf(
  { id: _id, ticketId: _ticketId, taskId: _taskId, session_id: _session, ...fields }: Changes,
) {
  return fields;
}

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
  if (status === "done" && before.status !== status && isBot(ctx.actor)) refuseUnmet(before, input);
  if (status === "in_progress" && before.status !== status) {
    const waiting = unfinishedDependencies(tasks, dependsOn);
    if (waiting.length > 0) throw dependenciesUnfinished(before.title, waiting);
  }
  const { assignee_user_id: assignee } = input;
  const isGiven = assignee !== before.assignee_user_id || (status === "pending" && before.status !== status);
  if (assignee && isGiven) {
    await checkAssignee(ctx, assignee);
  }
}

/** An agent finishes a task only when all criteria are met. */
function refuseUnmet(
  before: Task,
  { acceptance_criteria: criteria = before.acceptance_criteria }: Changes,
): void {
  const unmet = criteria.flatMap(({ text, done }, at) => done ? [] : [`${at + 1}. ${text}`]);
  if (unmet.length === 0) return;
  const what = counted(unmet.length, "criterion is", "criteria are");
  throw new AppError(
    "invalid_transition",
    `Cannot finish task ${before.title}: ${what} unmet (${unmet.join("; ").slice(0, 500)})`,
    { details: { unmet } },
  );
}

function changedColumns(ctx: ProjectContext, found: Held, input: Changes): Record<string, unknown> {
  const { db, actor } = ctx;
  const { task: before } = found;
  const fields = fieldsOf(input);
  const follows = input.status && input.status !== before.status
    ? consequences(db, before, input.status)
    : {};
  const given = changedFields({ ...before, ...follows }, fields);
  const columns = Object.entries(given).map(([name, value]) => [name, sqlValue(db, name, value)]);
  const all = { ...follows, ...Object.fromEntries(columns) };
  if (isBot(actor) && starts(found, input)) return { ...all, ...claimColumns(ctx, input.session_id) };
  // A new assignee takes over a claimed task without its claim.
  if ("assignee_user_id" in given) {
    return { ...all, assignee_session_id: null, claimed_with: null, lease_expires_at: null };
  }
  const keeps = (input.status ?? before.status) === "in_progress" && isKept(ctx, found);
  return keeps && Object.keys(all).length > 0 ? { ...all, lease_expires_at: renewedLease(db) } : all;
}

/** Tells whether an agent's report extends its claim. */
function isKept({ actor }: ProjectContext, { task, held }: Held): boolean {
  return isBot(actor) && held && task.assignee_session_id !== null;
}

/** A report that says nothing new is a sign of life all the same. */
async function keepClaim(ctx: ProjectContext, found: Held): Promise<Task> {
  const { db } = ctx;
  const { task } = found;
  if (task.status !== "in_progress" || !isKept(ctx, found)) return task;
  const [kept] = await db<[Task]>`
    update tasks t set lease_expires_at = ${renewedLease(db)} where t.id = ${task.id}::uuid returning ${
    taskColumns(db)
  }`;
  return kept;
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
