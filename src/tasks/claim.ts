import type { ProjectContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { newVersion, requireVersion, versionMatches } from "../core/if_match.ts";
import { inOrder } from "../core/in_order.ts";
import { transact } from "../core/transact.ts";
import { requireTicket } from "../tickets/get.ts";
import type { Ticket } from "../tickets/schema.ts";
import { claimable, lease } from "./_claims.ts";
import { dependenciesUnfinished, unfinishedDependencies } from "./_dependencies.ts";
import { getTask } from "./get.ts";
import { atPath, outlineOf, taskColumns } from "./_rows.ts";
import type { ClaimTask, Task } from "./schema.ts";

/**
 * Gives a pending task to the caller for the length of a lease. It is one statement, so that
 * exactly one of any number of simultaneous callers gets the task.
 * @throws {AppError} version_conflict; already_claimed with the task in `details.current`;
 * dependencies_unfinished; invalid_transition; conflict when the ticket is closed
 */
export async function claimTask(ctx: ProjectContext, input: ClaimTask): Promise<Task> {
  const claimed = await transact(ctx, async (ctx) => {
    const { db, actor } = ctx;
    const [[task], [ticket]] = await inOrder(
      db<Task[]>`
        update tasks t set status = 'in_progress', assignee_user_id = ${actor.user.id}::uuid,
          assignee_session_id = ${sessionOf(ctx, input)}, started_at = now(),
          lease_expires_at = ${lease(db)}, ${newVersion(db, "t")}
        where ${atPath(ctx, input)} and ${versionMatches(ctx)} and ${claimable(ctx)}
        returning ${taskColumns(db)}`,
      db<Pick<Ticket, "status">[]>`select status from tickets where id = ${input.ticketId}::uuid`,
    );
    if (!task) return undefined;
    // The update may have waited for a transaction that closed the ticket or added a dependency. It
    // read both as they were when it began, so they are checked again.
    if (ticket?.status === "closed") throw ticketIsClosed(task);
    await refuseWaiting(ctx, task);
    return task;
  });
  return claimed ?? await explainRefusal(ctx, input);
}

function ticketIsClosed({ title }: Task): AppError {
  return new AppError("conflict", `Cannot claim task ${title}: its ticket is closed`);
}

/** The session id that is stored with the claim. */
function sessionOf({ actor }: ProjectContext, { session_id }: ClaimTask): string {
  return session_id ?? actor.credential.id;
}

async function explainRefusal(ctx: ProjectContext, input: ClaimTask): Promise<never> {
  const ticket = await requireTicket(ctx, input.ticketId);
  const task = await getTask(ctx, input);
  requireVersion(ctx, task, "task");
  const { title, status, assignee_user_id: assignee, assignee_session_id: session } = task;
  const refused = `Cannot claim task ${title}:`;
  const taken = (how: string) =>
    new AppError("already_claimed", `${refused} ${how}`, { details: { current: task } });
  const another = assignee !== null && assignee !== ctx.actor.user.id;
  if (status === "in_progress") {
    if (another) throw taken("somebody else has taken it");
    if (session === null) throw taken("it was started without a claim");
    throw taken(
      session === sessionOf(ctx, input)
        ? "it is yours already"
        : "it is held under another session or key of yours",
    );
  }
  if (status !== "pending") throw new AppError("invalid_transition", `${refused} it is ${status}`);
  if (ticket.status === "closed") throw ticketIsClosed(task);
  if (another) throw taken("it is assigned to another user");
  await refuseWaiting(ctx, task);
  throw taken("it has only just become free, so try again");
}

async function refuseWaiting(ctx: ProjectContext, task: Task): Promise<void> {
  if (task.depends_on_task_ids.length === 0) return;
  const tasks = await outlineOf(ctx, task.handoff_request_id);
  const waiting = unfinishedDependencies(tasks, task.depends_on_task_ids);
  if (waiting.length > 0) throw dependenciesUnfinished(task.title, waiting);
}
