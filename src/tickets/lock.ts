import type { Db, Fragment } from "../../db/open.ts";
import type { ProjectContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import type { Stage, Ticket } from "./schema.ts";

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
  ctx: ProjectContext,
  ticketIds: readonly string[],
): Promise<LockedTicket[]> {
  const { db, project } = ctx;
  return await db<LockedTicket[]>`
    select ${lockedColumns(ctx)} from tickets
    where id = any (${[...ticketIds]}::uuid[]) and project_id = ${project.id}::uuid order by id for update`;
}

/**
 * Selects tickets and, as far as they open or close, those that count them. These are their parents and
 * the tickets that they block. A call that opens or closes tickets locks all of these in id order,
 * before any other ticket. Otherwise one call holds a child and waits for its parent, and another one does
 * the opposite.
 * @param moved a subselect of ids
 */
export function withKin(db: Db, moved: Fragment, to: Stage | undefined): Fragment {
  return db`
    with moved as materialized (
      select t.id, t.parent_id, ${to === "live" ? db`true` : db`t.status = 'closed'`} as counts
      from tickets t where t.id in ${moved}
    )
    select id from moved union
    select parent_id from moved where counts and parent_id is not null union
    select l.ticket_id from moved m join ticket_links l on l.other_id = m.id and l.kind = 'blocked_by' where m.counts`;
}

/** Locks tickets that move to `to`, by a subselect of their ids, with those that count them. */
export async function lockKin(db: Db, moved: Fragment, to: Stage): Promise<void> {
  await db`select from tickets where id = any (array(${withKin(db, moved, to)})) order by id for update`;
}

/** Locks tickets that may move to `to`, with those that count them and `others`, in id order. */
export async function lockWithKin(
  ctx: ProjectContext,
  ticketIds: readonly string[],
  { to, others = [] }: { to: Stage | undefined; others?: readonly string[] },
): Promise<LockedTicket[]> {
  const { db, project } = ctx;
  const moved = db`(select id from tickets where id = any (${[
    ...ticketIds,
  ]}::uuid[]) and project_id = ${project.id}::uuid)`;
  return await db<LockedTicket[]>`
    select ${lockedColumns(ctx)} from tickets
    where id = any (array(${withKin(db, moved, to)} union select unnest(${[
    ...others,
  ]}::uuid[]))) order by id for update`;
}

/** Does the same for one ticket. @throws {AppError} not_found */
export async function lockTicketWithKin(
  ctx: ProjectContext,
  ticketId: string,
  around: Parameters<typeof lockWithKin>[2],
): Promise<LockedTicket> {
  const locked = (await lockWithKin(ctx, [ticketId], around)).find(({ id }) => id === ticketId);
  if (!locked) throw noSuchTicket();
  return locked;
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

function lockedColumns({ db, project }: ProjectContext): Fragment {
  return db`id, ${project.key} || '-' || number as ticket_ref, stage, status, closed_at, version, open_blockers`;
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
