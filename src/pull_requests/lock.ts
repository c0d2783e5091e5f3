import type { Db } from "../../db/open.ts";

/** A pull request by its repository, lower-cased, and its number there. */
export interface PullRequestName {
  repo: string;
  number: number;
}

/**
 * Serialises two writers of one pull request: the event that tells of it, and the link of a ticket
 * to it. Without the lock each could miss the other. Tickets are locked before it. If the
 * provider's own id is known, the pull request is locked under each known name of its repository.
 */
export async function lockPullRequest(
  db: Db,
  { repo, number, id = null }: PullRequestName & { id?: number | null },
): Promise<void> {
  await db`
    select pg_advisory_xact_lock(hashtextextended(p.repo || '#' || p.number, 4)) from (
      select ${repo} as repo, ${number}::integer as number
      union select repo, number from pull_requests where provider_id = ${id}::bigint order by 1, 2) p`;
}
