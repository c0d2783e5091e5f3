import type { Fragment } from "../../db/open.ts";
import type { ProjectContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { newVersion } from "../core/if_match.ts";
import { readBlockers, ticketIsBlocked } from "../tickets/blockers.ts";
import type { Ticket } from "../tickets/schema.ts";
import { claimable, claimColumns } from "./_claims.ts";
import { dependenciesUnfinished, unfinishedDependencies } from "./_dependencies.ts";
import { outlineOf, taskColumns } from "./_rows.ts";
import type { Task } from "./schema.ts";

/**
 * Gives the task that `which` selects among `tasks t` to the caller, if the caller may claim it. It
 * is one statement, so that exactly one of any number of simultaneous callers gets the task. Call
 * `checkTaken` afterwards.
 */
export async function takeTask(
  ctx: ProjectContext,
  which: Fragment,
  named: string | undefined,
): Promise<Task | undefined> {
  const { db } = ctx;
  const [task] = await db<Task[]>`
    update tasks t set status = 'in_progress', started_at = now(), ${db(claimColumns(ctx, named))}, ${
    newVersion(db, "t")
  }
    where ${which} and ${claimable(ctx)}
    returning ${taskColumns(db)}`;
  return task;
}

/**
 * Checks a claim again. The statement may have waited for a transaction that closed the ticket, or
 * added a blocker or dependency, and it read all of them as they were when it began.
 * @throws {AppError} conflict; ticket_blocked; dependencies_unfinished
 */
export async function checkTaken(
  ctx: ProjectContext,
  task: Task,
  ticket: ClaimedTicket | undefined,
): Promise<void> {
  if (ticket?.status === "closed") throw ticketIsClosed(task);
  if (ticket?.open_blockers) await refuseBlocked(ctx, task);
  await refuseWaiting(ctx, task);
}

/** The columns of a ticket that a claim checks. */
export type ClaimedTicket = Pick<Ticket, "status" | "open_blockers">;

/** @throws {AppError} ticket_blocked */
export async function refuseBlocked(ctx: ProjectContext, task: Task): Promise<void> {
  const blockers = await readBlockers(ctx, task.handoff_request_id);
  if (blockers) throw ticketIsBlocked(`claim task ${task.title}`, blockers);
}

export function ticketIsClosed({ title }: Task): AppError {
  return new AppError("conflict", `Cannot claim task ${title}: its ticket is closed`);
}

export async function refuseWaiting(ctx: ProjectContext, task: Task): Promise<void> {
  if (task.depends_on_task_ids.length === 0) return;
  const tasks = await outlineOf(ctx, task.handoff_request_id);
  const waiting = unfinishedDependencies(tasks, task.depends_on_task_ids);
  if (waiting.length > 0) throw dependenciesUnfinished(task.title, waiting);
}
