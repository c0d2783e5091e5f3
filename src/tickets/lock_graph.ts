import type { ProjectContext } from "../core/context.ts";

/**
 * Lets one transaction of an account at a time change how tickets depend on one another: blockers,
 * parents and duplicates. Otherwise several changes that are harmless alone could make a ring. Take
 * it before any ticket.
 */
export async function lockGraph({ db, project }: ProjectContext): Promise<void> {
  await db`select pg_advisory_xact_lock(hashtextextended('graph:' || ${project.account_id}::text, 0))`;
}
