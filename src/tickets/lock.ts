import type { ProjectContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import type { Status } from "./schema.ts";

/** What its lock tells of a ticket: always as it is now, whatever older snapshot the statement began with. */
export interface LockedTicket {
  id: string;
  ticket_ref: string;
  status: Status;
}

/**
 * Locks a ticket of the project until the transaction ends. Whatever changes a ticket's roles, tasks or test cases
 * does this first, so that the gates and they never pass each other unseen.
 * @throws {AppError} not_found
 */
export async function lockTicket(ctx: ProjectContext, ticketId: string): Promise<LockedTicket> {
  const { db, project } = ctx;
  const [locked] = await db<LockedTicket[]>`
    select id, ${project.key} || '-' || number as ticket_ref, status from tickets
    where id = ${ticketId}::uuid and project_id = ${project.id}::uuid for update`;
  if (!locked) throw noSuchTicket();
  return locked;
}

export function noSuchTicket(): AppError {
  return new AppError("not_found", "No such ticket in this project");
}

/**
 * What is closed has passed its gates, and nothing behind them may come undone while it is closed.
 * @throws {AppError} conflict
 */
export function refuseWhenClosed(ticket: LockedTicket, attempt: string): void {
  if (ticket.status !== "closed") return;
  throw new AppError(
    "conflict",
    `Cannot ${attempt} ticket ${ticket.ticket_ref}: it is closed; move it back to a stage first`,
  );
}
