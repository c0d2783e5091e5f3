import type { Context } from "../core/context.ts";

/**
 * Locks all tasks of tickets whose lock the transaction holds. Whatever changes their order or takes some away does this
 * before it writes or reads any: claims don't take the ticket's lock, and a claim's commit waits for whoever has moved
 * another task to the claimed one's place.
 */
export async function lockTasks({ db }: Context, ticketIds: readonly string[]): Promise<void> {
  await db`select from tasks where ticket_id = any (${[...ticketIds]}::uuid[]) order by id for update`;
}
