import type { ProjectContext } from "../core/context.ts";
import { AppError, invalidField } from "../core/errors.ts";
import { readBlockers, ticketIsBlocked } from "../tickets/blockers.ts";
import type { LockedTicket } from "../tickets/lock.ts";
import { taken } from "./_claims.ts";
import type { Held } from "./_rows.ts";
import { ticketIsClosed } from "./_take.ts";
import { isFinished } from "./transitions.ts";
import type { Task, UpdateTask } from "./schema.ts";

type Changes = Partial<Omit<UpdateTask, "id" | "ticketId" | "taskId" | "session_id">>;

/**
 * Tells whether somebody works on the task, or has finished it, under a claim. A task that was
 * started without a claim counts too.
 */
function isAtWork({ status, assignee_session_id: claim }: Task): boolean {
  return status === "in_progress" || (status !== "pending" && claim !== null);
}

/** Tells whether the task is another's, so that an agent may not change it. */
export function isForeign({ task, held }: Held): boolean {
  return isAtWork(task) && !held;
}

/**
 * Returns the refusal of an agent's change, or null. An agent reports only on what it holds. It may
 * revise a task that nobody holds, and reopen a finished one.
 */
export async function refusalOfAgent(
  ctx: ProjectContext,
  ticket: LockedTicket,
  found: Held,
  changes: Changes,
): Promise<AppError | null> {
  const { task, held } = found;
  const refused = `Cannot report on task ${task.title}:`;
  const asked = Object.keys(changes);
  if (isForeign(found)) {
    const reopens = isFinished(task) && changes.status === "pending" && asked.length === 1;
    return reopens ? null : await taken(ctx, found, refused);
  }
  if (starts(found, changes)) return await refusalOfStart(ctx, ticket, found, changes);
  if (isAtWork(task) && held) return null;
  if (!reports(task, changes)) return null;
  return new AppError(
    "invalid_transition",
    `${refused} it is ${task.status} and you don't hold it. Claim it first, or send the status in_progress`,
  );
}

/** Tells whether the change begins work on a task that nobody holds. An agent claims it by that. */
export function starts({ task }: Held, { status }: Changes): boolean {
  return status === "in_progress" && task.status !== "in_progress" && task.assignee_session_id === null;
}

async function refusalOfStart(
  ctx: ProjectContext,
  ticket: LockedTicket,
  { task, held }: Held,
  { assignee_user_id: assignee }: Changes,
): Promise<AppError | null> {
  if (ticket.status === "closed") return ticketIsClosed(task);
  if (ticket.open_blockers > 0) {
    return ticketIsBlocked(`claim task ${task.title}`, (await readBlockers(ctx, ticket.id))!);
  }
  if (task.assignee_user_id !== null && !held) {
    return await taken(ctx, { task, held }, `Cannot claim task ${task.title}:`);
  }
  if (assignee !== undefined && assignee !== ctx.actor.user.id) {
    return invalidField("assignee_user_id", "A task that you start is yours");
  }
  return null;
}

/** Tells whether the change says something about work that was done or can't go on. */
function reports(task: Task, changes: Changes): boolean {
  const { status, summary, actual_minutes, blocking_reason, acceptance_criteria } = changes;
  const newlyMet = acceptance_criteria?.some(({ text, done }) =>
    done && !task.acceptance_criteria.some((before) => before.done && before.text === text)
  );
  return status === "done" || status === "blocked" || newlyMet === true ||
    [summary, actual_minutes, blocking_reason].some((value) => value !== undefined && value !== null);
}
