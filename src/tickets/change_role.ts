import type { ProjectContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { newVersion, requireVersion } from "../core/if_match.ts";
import { inOrder } from "../core/in_order.ts";
import { transact } from "../core/transact.ts";
import { refuseDisabledRole } from "../projects/enabled_roles.ts";
import { getTicket } from "./get.ts";
import { lockTicket, refuseWhenClosed } from "./lock.ts";
import type { RolePath, RoleStatus, Ticket } from "./schema.ts";

type RoleAction = "start" | "finish" | "skip" | "reopen";

/** The actions on a ticket's role, with the states from which and to which each leads. */
const CHANGES: Record<RoleAction, { from: RoleStatus[]; to: RoleStatus }> = {
  start: { from: ["pending"], to: "in_progress" },
  finish: { from: ["pending", "in_progress"], to: "done" },
  skip: { from: ["pending", "in_progress"], to: "skipped" },
  reopen: { from: ["done", "skipped"], to: "pending" },
};

/**
 * Starts, finishes, skips or reopens a role of a ticket. A role that already has the new status
 * stays as it is.
 * @throws {AppError} not_found if the ticket doesn't have the role; invalid_transition; conflict on
 * a closed ticket
 */
export async function changeRole(
  ctx: ProjectContext,
  input: RolePath,
  action: RoleAction,
): Promise<Ticket> {
  const { from, to } = CHANGES[action];
  return await transact(ctx, async (ctx) => {
    const [locked, before] = await inOrder(lockTicket(ctx, input.ticketId), getTicket(ctx, input));
    requireVersion(ctx, before);
    const state = before.roles.find(({ role }) => role === input.role);
    if (!state) throw new AppError("not_found", `Ticket ${before.ticket_ref} has no role ${input.role}`);
    if (state.status === to) return before;
    if (!from.includes(state.status)) {
      throw new AppError(
        "invalid_transition",
        `Cannot ${action} role ${input.role} of ticket ${before.ticket_ref}: it is ${state.status}`,
      );
    }
    if (action === "reopen") refuseWhenClosed(locked, "reopen a role of");
    // A role that was disabled after a ticket got it may be finished or skipped, but not started or
    // reopened.
    if (action === "start" || action === "reopen") refuseDisabledRole(ctx, input.role);
    const [, after] = await inOrder(write(ctx, input, to), getTicket(ctx, input));
    return after;
  });
}

async function write(
  { db }: ProjectContext,
  { ticketId, role }: RolePath,
  status: RoleStatus,
): Promise<void> {
  await db`
    with role as (
      update ticket_roles set status = ${status} where ticket_id = ${ticketId}::uuid and role = ${role}
    )
    update tickets set ${newVersion(db, "tickets")} where id = ${ticketId}::uuid`;
}
