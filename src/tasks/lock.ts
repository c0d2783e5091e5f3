import type { Context } from "../core/context.ts";

/**
 * Locks all tasks of tickets whose lock the transaction holds. A call that reorders or deletes
 * tasks does this before it reads or writes any of them, for two reasons: claims don't take the
 * ticket's lock, and the commit of a claim waits for a transaction that has moved another task to
 * the claimed task's place.
 */
export async function lockTasks({ db }: Context, ticketIds: readonly string[]): Promise<void> {
  await db`select from tasks where ticket_id = any (${[...ticketIds]}::uuid[]) order by id for update`;
}
