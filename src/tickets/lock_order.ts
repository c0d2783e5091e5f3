import type { Context } from "../core/context.ts";

/**
 * Lets one transaction at a time change the order of a project's tickets, so that each placement finds
 * its neighbours where they are. Take it before any ticket.
 */
export async function lockOrder({ db }: Context, projectId: string): Promise<void> {
  await db`select pg_advisory_xact_lock(hashtextextended('order:' || ${projectId}::text, 0))`;
}
