import type { Context } from "../core/context.ts";

const STEP = 2000;

/**
 * Deletes what has served its time: deliveries after 30 days, tokens, sessions and runs that ended 30 days ago, used or expired
 * invitations, counters of past rate limits, refused sign-ins after 90 days (of all that the audit list has, only these
 * are written by anybody). In steps, so that no lock is held for long; each begins at the oldest.
 */
export async function prune({ db }: Context): Promise<void> {
  const ended = db`least(revoked_at, expires_at)`;
  const served = [
    ["inbound_deliveries", "id", db`received_at < now() - interval '30 days' order by received_at`],
    // Their refresh tokens go with them.
    ["sessions", "id", db`${ended} < now() - interval '30 days' order by ${ended}`],
    ["refresh_tokens", "token_hash", db`expires_at < now() - interval '30 days' order by expires_at`],
    ["invitations", "token_hash", db`least(used_at, expires_at) < now() - interval '30 days'`],
    ["hook_runs", "id", db`finished_at < now() - interval '30 days'`],
    ["rate_limits", "key", db`expire < extract(epoch from now()) * 1000`],
    [
      "audit_log",
      "id",
      db`action = 'session.refused' and created_at < now() - interval '90 days' order by created_at`,
    ],
  ] as const;
  for (const [table, key, hasServed] of served) {
    // Of a list the planner would think it worth reading the whole table beside it; of an array it looks each key up.
    const step = () =>
      db`
      delete from ${db(table)} where ${db(key)} = any (array(
        select ${db(key)} from ${db(table)} where ${hasServed} limit ${db.unsafe(String(STEP))}))`;
    while ((await step()).count === STEP);
  }
}
