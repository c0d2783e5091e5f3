import type { Db } from "../../db/open.ts";
import type { Context } from "../core/context.ts";

const STEP = 2000;

/**
 * Deletes data that has served its time: deliveries, mails, chat messages and events after 30 days;
 * tokens, sessions and runs that ended 30 days ago; used or expired invitations; counters of past
 * rate limits; refused sign-ins after 90 days (these are the only entries of the audit list that
 * anybody can cause); and, if the configuration says so, old answers to creations and the history of
 * tickets that were closed long ago. It works in steps, so that no lock is held for long, and each step begins at
 * the oldest rows.
 */
export async function prune({ db, config }: Context): Promise<void> {
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
  const { KEEP_ANSWERS_DAYS, KEEP_HISTORY_DAYS } = config;
  if (KEEP_ANSWERS_DAYS) await pruneAnswers(db, KEEP_ANSWERS_DAYS);
  if (KEEP_HISTORY_DAYS) await pruneHistory(db, KEEP_HISTORY_DAYS);
}

/** After this, a repeat of an old creation with its key creates again. */
async function pruneAnswers(db: Db, days: number): Promise<void> {
  for (const table of ["ticket_creations", "part_creations"]) {
    const step = () =>
      db`
      delete from ${db(table)} where ctid = any (array(
        select ctid from ${db(table)} where created_at < now() - make_interval(days => ${days})
        limit ${db.unsafe(String(STEP))}))`;
    while ((await step()).count === STEP);
  }
}

/**
 * Deletes what happened to tickets before they were closed for that long. A merge stays, because a
 * ticket that is reopened must not take it for a new one.
 */
async function pruneHistory(db: Db, days: number): Promise<void> {
  let after = 0;
  for (;;) {
    const rows = await db<{ id: number }[]>`
      with old as materialized (
        select h.id from history h join tickets t on t.id = h.ticket_id
        where h.id > ${after} and h.created_at < now() - make_interval(days => ${days})
          and t.status = 'closed' and t.closed_at < now() - make_interval(days => ${days})
          and coalesce(h.changes ? 'merge_sha', false) is false
          and not exists (select from event_outbox o where o.history_id = h.id)
        order by h.id limit ${db.unsafe(String(STEP))}
      )
      delete from history h using old where h.id = old.id returning h.id`;
    if (rows.length < STEP) return;
    after = Math.max(...rows.map(({ id }) => id));
  }
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
