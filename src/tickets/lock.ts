import type { ProjectContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import type { Ticket } from "./schema.ts";

/** What its lock tells of a ticket: always as it is now, whatever older snapshot the statement began with. */
export type LockedTicket = Pick<Ticket, "id" | "ticket_ref" | "stage" | "status" | "closed_at" | "version">;

/**
 * Locks a ticket of the project until the transaction ends. Whatever changes a ticket's roles, tasks or test cases
 * does this first, so that the gates and they never pass each other unseen.
 * @throws {AppError} not_found
 */
export async function lockTicket(ctx: ProjectContext, ticketId: string): Promise<LockedTicket> {
  const [locked] = await lockTickets(ctx, [ticketId]);
  if (!locked) throw noSuchTicket();
  return locked;
}

/** Several at once, in id order: so no two calls ever wait for each other. Those that don't exist are left out. */
export async function lockTickets(
  { db, project }: ProjectContext,
  ticketIds: readonly string[],
): Promise<LockedTicket[]> {
  return await db<LockedTicket[]>`
    select id, ${project.key} || '-' || number as ticket_ref, stage, status, closed_at, version from tickets
    where id = any (${[...ticketIds]}::uuid[]) and project_id = ${project.id}::uuid order by id for update`;
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
