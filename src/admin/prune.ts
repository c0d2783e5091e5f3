import type { Db } from "../../db/open.ts";
import type { Context } from "../core/context.ts";

const STEP = 2000;

/**
 * Deletes data that has served its time: deliveries, mails, chat messages and events after 30 days;
 * tokens, sessions and runs that ended 30 days ago; used or expired invitations; counters of past
 * rate limits; refused sign-ins after 90 days (these are the only entries of the audit list that
 * anybody can cause). It works in steps, so that no lock is held for long, and each step begins at
 * the oldest rows.
 */
export async function prune({ db }: Context): Promise<void> {
  const ended = db`least(revoked_at, expires_at)`;
  const served = [
    ["inbound_deliveries", "id", db`received_at < now() - interval '30 days' order by received_at`],
    // The sessions' refresh tokens are deleted with them.
    ["sessions", "id", db`${ended} < now() - interval '30 days' order by ${ended}`],
    ["refresh_tokens", "token_hash", db`expires_at < now() - interval '30 days' order by expires_at`],
    ["invitations", "token_hash", db`least(used_at, expires_at) < now() - interval '30 days'`],
    ["outbound_deliveries", "id", db`created_at < now() - interval '30 days' order by created_at`],
    [
      "messages",
      "id",
      db`state <> 'pending' and created_at < now() - interval '30 days' order by created_at`,
    ],
    ["hook_runs", "id", db`finished_at < now() - interval '30 days'`],
    ["rate_limits", "key", db`expire < extract(epoch from now()) * 1000`],
    [
      "audit_log",
      "id",
      db`action = 'session.refused' and created_at < now() - interval '90 days' order by created_at`,
    ],
  ] as const;
  for (const [table, key, hasServed] of served) {
    // The keys are an array, because the planner looks up each key of an array. For a list of rows
    // it would read the whole table.
    const step = () =>
      db`
      delete from ${db(table)} where ${db(key)} = any (array(
        select ${db(key)} from ${db(table)} where ${hasServed} limit ${db.unsafe(String(STEP))}))`;
    while ((await step()).count === STEP);
  }
  while (await pruneEvents(db) === STEP);
}

/**
 * Deletes the oldest events up to the first one that is younger than 30 days. The remaining events
 * have no gap, even if the clock was changed. No writer waits, because numbers come from a counter
 * and nothing else writes the rows.
 */
async function pruneEvents(db: Db): Promise<number> {
  const { count } = await db`
    delete from events where seq < (
      select coalesce(min(seq) filter (where created_at >= now() - interval '30 days'), max(seq) + 1) from (
        select e.seq, h.created_at from events e join history h on h.id = e.history_id
        order by e.seq limit ${db.unsafe(String(STEP))}) oldest)`;
  return count;
}
