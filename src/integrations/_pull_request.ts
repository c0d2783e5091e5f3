import type { Config } from "../core/config.ts";
import type { Context } from "../core/context.ts";
import { isLinkTo } from "../pull_requests/link.ts";
import { webUrl } from "./_client.ts";
import type { PullRequestEvent } from "./_payload.ts";

export interface PullFacts {
  /** Lower-cased. */
  repo: string;
  /** The provider's own id. */
  id: number | null;
  number: number;
  url: string;
  state: "open" | "closed" | "merged";
  merge_sha: string | null;
  merged_at: string | null;
  /**
   * `merged_at` as the provider reported it; null if it only reported that the pull request is
   * merged.
   */
  told_merged_at: string | null;
  created_at: string;
  /** The event reports the closing or merge itself. */
  isClosing: boolean;
  event_at: string;
}

/**
 * Reads the facts of a pull request. After squash, merge and rebase alike, merge_commit_sha is the
 * commit that is on the base branch.
 */
export function readPullRequest(
  config: Config,
  { action, pull_request, repository }: PullRequestEvent,
  receivedAt: string,
): PullFacts {
  const { id, number, html_url, merged, merge_commit_sha, created_at } = pull_request;
  const isClosing = action === "closed";
  const state = pull_request.state ?? (isClosing ? "closed" : "open");
  const told_merged_at = pull_request.merged_at ?? null;
  const updated_at = pull_request.updated_at ?? told_merged_at ?? receivedAt;
  const rest = {
    repo: repository.full_name.toLowerCase(),
    id: id ?? null,
    number,
    url: html_url ?? `${webUrl(config)}/${repository.full_name}/pull/${number}`,
    created_at: created_at ?? updated_at,
    isClosing,
    event_at: updated_at,
  };
  // `merged` alone is not enough, because it is missing from the short form of a pull request.
  const merged_at = told_merged_at ?? (merged ? updated_at : null);
  if (merged_at && merge_commit_sha) {
    // The event of the merge itself has the time of the merge. Any other event that shows the merge
    // was sent later than the merge, at least by a moment.
    const later = new Date(Math.max(Date.parse(updated_at), Date.parse(merged_at) + 1)).toISOString();
    const event_at = isClosing ? merged_at : later;
    return { ...rest, state: "merged", merge_sha: merge_commit_sha, merged_at, told_merged_at, event_at };
  }
  return { ...rest, state, merge_sha: null, merged_at: null, told_merged_at: null };
}

/**
 * A repository that was renamed or transferred reports its pull requests under its new name. Facts
 * and links of this pull request that are stored under the former name are moved to the new one.
 * Returns false if the event is no newer than the stored facts.
 */
export async function takeName({ db }: Context, pull: PullFacts): Promise<boolean> {
  const { repo, number, id, url, event_at } = pull;
  const [known] = await db<{ repo: string; state: string; is_newer: boolean }[]>`
    select repo, state, event_at >= ${event_at}::timestamptz(3) as is_newer from pull_requests
    where provider_id = ${id}::bigint and number = ${number} and repo <> ${repo} order by event_at desc limit 1`;
  if (!known || known.is_newer) return !known;
  const former = { repo: known.repo, number };
  const isHere = db`exists (select from pull_requests where repo = ${repo} and number = ${number})`;
  const state = db`coalesce(
    (select state from pull_requests where repo = ${repo} and number = ${number}), ${known.state})`;
  const linkedHere = db`ticket_id in (select ticket_id from ticket_pull_requests where ${
    isLinkTo(db, pull)
  })`;
  await db`
    with moved as (
      update pull_requests set repo = ${repo} where repo = ${former.repo} and number = ${number} and not ${isHere}
    ), forgotten as (
      delete from pull_requests where repo = ${former.repo} and number = ${number} and ${isHere}
    ), doubled as (
      delete from ticket_pull_requests where ${isLinkTo(db, former)} and ${linkedHere}
    )
    update ticket_pull_requests set repo = ${repo}, url = ${url}, updated_at = now(), state = ${state}
    where ${isLinkTo(db, former)} and not ${linkedHere} or ${isLinkTo(db, pull)} and state <> ${state}`;
  return true;
}

/**
 * A new repository may have the name of an earlier repository, and numbers its pull requests from 1
 * again. Two pull requests with one number differ by the provider's id; if it is unknown, by their
 * merges, because each has one at most. The facts about the earlier pull request are removed,
 * together with the links that are older than the later pull request. Returns false if the event
 * belongs to the earlier pull request.
 */
export async function takeNumber(ctx: Context, pull: PullFacts): Promise<boolean> {
  const { repo, number, id, told_merged_at, created_at, event_at } = pull;
  const [other] = await ctx.db<{ is_earlier: boolean }[]>`
    select event_at < ${event_at}::timestamptz(3) as is_earlier from pull_requests
    where repo = ${repo} and number = ${number}
      and coalesce(provider_id <> ${id}::bigint, merged_at <> ${told_merged_at}::timestamptz(3), false)`;
  if (!other?.is_earlier) return !other;
  await ctx.db`
    with forgotten as (delete from pull_requests where repo = ${repo} and number = ${number})
    delete from ticket_pull_requests
    where ${isLinkTo(ctx.db, pull)} and not precedes(${created_at}::timestamptz, created_at)`;
  return true;
}

/**
 * Stores an event: a merge is final, otherwise the later of two events by the provider's clock
 * wins. Returns whether this event wins. The event of the merge itself also wins, once, if another
 * event has reported the merge before, because until then the stored time is later than the
 * merge's.
 */
export async function writePullRequest(ctx: Context, pull: PullFacts): Promise<boolean> {
  const written = await ctx.db`
    insert into pull_requests as p (repo, number, provider_id, state, merge_sha, merged_at, event_at)
    values (${pull.repo}, ${pull.number}, ${pull.id}::bigint, ${pull.state}, ${pull.merge_sha},
      ${pull.merged_at}::timestamptz, ${pull.event_at}::timestamptz)
    on conflict (repo, number) do update set provider_id = coalesce(excluded.provider_id, p.provider_id),
      state = excluded.state, merge_sha = excluded.merge_sha, merged_at = excluded.merged_at,
      event_at = excluded.event_at
    where (excluded.state = 'merged' and (p.state <> 'merged' or ${pull.isClosing} and p.event_at <> p.merged_at))
      or (p.state <> 'merged' and excluded.event_at >= p.event_at)`;
  return written.count === 1;
}
