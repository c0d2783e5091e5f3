import type { ProjectContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { requireVersion, versionMatches } from "../core/if_match.ts";
import { inOrder } from "../core/in_order.ts";
import { transact } from "../core/transact.ts";
import { requireTicket } from "../tickets/get.ts";
import { taken } from "./_claims.ts";
import { atPath, readHeld } from "./_rows.ts";
import {
  checkTaken,
  type ClaimedTicket,
  refuseBlocked,
  refuseWaiting,
  takeTask,
  ticketIsClosed,
} from "./_take.ts";
import type { ClaimTask, Task } from "./schema.ts";

/** A task that others free and take all the time isn't tried for ever. */
const MOST_TRIES = 3;

/**
 * Gives a pending task to the caller, to an agent for the length of a lease.
 * @throws {AppError} version_conflict; already_claimed with the task in `details.current` and in
 * `details.yours` whether the caller holds it; dependencies_unfinished; ticket_blocked; invalid_transition;
 * conflict when the ticket is closed
 */
export async function claimTask(ctx: ProjectContext, input: ClaimTask): Promise<Task> {
  for (let tries = 1;; tries++) {
    const claimed = await tryClaim(ctx, input);
    if (claimed) return claimed;
    const free = await refuseClaim(ctx, input);
    if (tries === MOST_TRIES) {
      throw new AppError(
        "already_claimed",
        `Cannot claim task ${free.title}: it becomes free just now, so try again`,
        {
          details: { current: free, yours: false },
        },
      );
    }
  }
}

async function tryClaim(ctx: ProjectContext, input: ClaimTask): Promise<Task | undefined> {
  return await transact(ctx, async (ctx) => {
    const { db } = ctx;
    const [task, [ticket]] = await inOrder(
      takeTask(ctx, db`${atPath(ctx, input)} and ${versionMatches(ctx)}`, input.session_id),
      db<ClaimedTicket[]>`select status, open_blockers from tickets where id = ${input.ticketId}::uuid`,
    );
    if (task) await checkTaken(ctx, task, ticket);
    return task;
  });
}

/** Throws why the task can't be claimed. Returns the task if it has become free since the claim. */
async function refuseClaim(ctx: ProjectContext, input: ClaimTask): Promise<Task> {
  const ticket = await requireTicket(ctx, input.ticketId);
  const found = await readHeld(ctx, input, input.session_id);
  const { task } = found;
  requireVersion(ctx, task, "task");
  const { title, status, assignee_user_id: assignee } = task;
  const refused = `Cannot claim task ${title}:`;
  if (status === "in_progress") throw await taken(ctx, found, refused);
  if (status !== "pending") throw new AppError("invalid_transition", `${refused} it is ${status}`);
  if (ticket.status === "closed") throw ticketIsClosed(task);
  if (assignee !== null && assignee !== ctx.actor.user.id) throw await taken(ctx, found, refused);
  await refuseBlocked(ctx, task);
  await refuseWaiting(ctx, task);
  return task;
}
