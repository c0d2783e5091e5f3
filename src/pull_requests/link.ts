import { v7 as uuid } from "uuid";
import type { Db } from "../../db/open.ts";
import { inOrder } from "../core/in_order.ts";
import { jsonb } from "../core/json.ts";
import { lockPullRequest, type PullRequestName } from "./lock.ts";
import { stampMerge } from "./stamp.ts";

/** Selects the rows of `ticket_pull_requests` that link a ticket to the pull request. */
export function isLinkTo(db: Db, { repo, number }: PullRequestName) {
  return db`lower(repo) = ${repo} and number = ${number}`;
}

/**
 * Links tickets to a pull request, once each, in the state that is known of it. A known merge
 * counts for a ticket from then on. The tickets are locked.
 */
export async function linkPullRequest(
  { db }: { db: Db },
  pull: PullRequestName & { url: string },
  tickets: readonly { id: string; project_id: string }[],
): Promise<void> {
  const links = await withoutLink(db, pull, tickets);
  if (links.length === 0) return;
  const { repo, number, url } = pull;
  // Only a statement that is sent after the lock sees a merge that the lock's last holder has
  // stored.
  await inOrder(
    lockPullRequest(db, pull),
    db`
      with linked as (
        insert into ticket_pull_requests (id, ticket_id, project_id, repo, number, url, state)
        select id, ticket_id, project_id, ${repo}, ${number}, ${url},
          coalesce((select state from pull_requests where repo = ${repo} and number = ${number}), 'open')
        from jsonb_to_recordset(${jsonb(db, links)}) as l (id uuid, ticket_id uuid, project_id uuid)
        on conflict (ticket_id, lower(repo), number) do nothing
        returning ticket_id
      )
      ${stampMerge(db, pull, db`select ticket_id from linked`)}`,
  );
}

/**
 * Links are looked up before the pull request is locked, because its merge may hold that lock and
 * wait for a ticket that is linked already.
 */
async function withoutLink(
  db: Db,
  pull: PullRequestName,
  tickets: readonly { id: string; project_id: string }[],
) {
  const linked = await db<{ ticket_id: string }[]>`
    select ticket_id from ticket_pull_requests
    where ${isLinkTo(db, pull)} and ticket_id = any (${tickets.map(({ id }) => id)}::uuid[])`;
  return tickets.filter(({ id }) => !linked.some(({ ticket_id }) => ticket_id === id))
    .map(({ id, project_id }) => ({ id: uuid(), ticket_id: id, project_id }));
}
