import type { Context } from "../core/context.ts";

const STEP = 2000;

/**
 * Deletes what has served its time: deliveries after 30 days, tokens, sessions and runs that ended 30 days ago, used or expired
 * invitations, counters of past rate limits, refused sign-ins after 90 days (of all that the audit list has, only these
 * are written by anybody). In steps, so that no lock is held for long.
 */
export async function prune({ sql: db }: Context): Promise<void> {
  const served = [
    ["deliveries", "id", db`received_at < now() - interval '30 days'`],
    // Their refresh tokens go with them.
    ["sessions", "id", db`least(revoked_at, expires_at) < now() - interval '30 days'`],
    ["refresh_tokens", "token_hash", db`expires_at < now() - interval '30 days'`],
    ["invitations", "token_hash", db`least(used_at, expires_at) < now() - interval '30 days'`],
    ["hook_runs", "id", db`finished_at < now() - interval '30 days'`],
    ["rate_limits", "key", db`expire < extract(epoch from now()) * 1000`],
    ["audit_log", "id", db`action = 'session.refused' and created_at < now() - interval '90 days'`],
  ] as const;
  for (const [table, key, hasServed] of served) {
    const step = () =>
      db`
      delete from ${db(table)} where ${db(key)} in (
        select ${db(key)} from ${db(table)} where ${hasServed} limit ${STEP})`;
    while ((await step()).count === STEP);
  }
}
