import type { ProjectContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import type { Ticket } from "./schema.ts";

/**
 * The columns that a lock returns. They are always current, even if the statement began with an
 * older snapshot.
 */
export type LockedTicket = Pick<
  Ticket,
  "id" | "ticket_ref" | "stage" | "status" | "closed_at" | "version" | "open_blockers"
>;

/**
 * Locks a ticket of the project until the transaction ends. Every change of a ticket's roles, tasks
 * or test cases takes this lock first, so that such a change and a gate always see each other.
 * @throws {AppError} not_found
 */
export async function lockTicket(ctx: ProjectContext, ticketId: string): Promise<LockedTicket> {
  const [locked] = await lockTickets(ctx, [ticketId]);
  if (!locked) throw noSuchTicket();
  return locked;
}

/**
 * Locks several tickets in id order, so that no two calls ever wait for each other. Unknown ids are
 * left out.
 */
export async function lockTickets(
  { db, project }: ProjectContext,
  ticketIds: readonly string[],
): Promise<LockedTicket[]> {
  return await db<LockedTicket[]>`
    select id, ${project.key} || '-' || number as ticket_ref, stage, status, closed_at, version, open_blockers from tickets
    where id = any (${[...ticketIds]}::uuid[]) and project_id = ${project.id}::uuid order by id for update`;
}

/**
 * Locks tickets of the project together with one of any project, in id order. Unknown ids are left
 * out. The caller has checked that its reader may see the other one.
 */
export async function lockWithOther(
  { db, project }: ProjectContext,
  ticketIds: readonly string[],
  otherId: string,
): Promise<{ id: string }[]> {
  return await db<{ id: string }[]>`
    select id from tickets
    where id = any (${[...ticketIds]}::uuid[]) and project_id = ${project.id}::uuid or id = ${otherId}::uuid
    order by id for update`;
}

export function noSuchTicket(): AppError {
  return new AppError("not_found", "No such ticket in this project");
}

/**
 * Refuses a change of a closed ticket, because it has passed its gates and nothing that they
 * checked may be undone while it is closed.
 * @throws {AppError} conflict
 */
export function refuseWhenClosed(ticket: LockedTicket, attempt: string): void {
  if (ticket.status !== "closed") return;
  throw new AppError(
    "conflict",
    `Cannot ${attempt} ticket ${ticket.ticket_ref}: it is closed; move it back to a stage first`,
  );
}
