import type { Context } from "../core/context.ts";

const STEP = 2000;

/**
 * Deletes what has served its time: deliveries after 30 days, tokens and sessions that ended 30 days ago, used or expired
 * invitations, counters of past rate limits, refused sign-ins after 90 days (of all that the audit list has, only these
 * are written by anybody). In steps, so that no lock is held for long.
 */
export async function prune({ sql: db }: Context): Promise<void> {
  await inSteps(() =>
    db`
    delete from deliveries where id in (
      select id from deliveries where received_at < now() - interval '30 days' limit ${STEP})`
  );
  // Their refresh tokens go with them.
  await inSteps(() =>
    db`
    delete from sessions where id in (
      select id from sessions where least(revoked_at, expires_at) < now() - interval '30 days' limit ${STEP})`
  );
  await inSteps(() =>
    db`
    delete from refresh_tokens where token_hash in (
      select token_hash from refresh_tokens where expires_at < now() - interval '30 days' limit ${STEP})`
  );
  await inSteps(() =>
    db`
    delete from invitations where token_hash in (
      select token_hash from invitations where least(used_at, expires_at) < now() - interval '30 days' limit ${STEP})`
  );
  await inSteps(() =>
    db`
    delete from rate_limits where key in (
      select key from rate_limits where expire < extract(epoch from now()) * 1000 limit ${STEP})`
  );
  await inSteps(() =>
    db`
    delete from audit_log where id in (
      select id from audit_log
      where action = 'session.refused' and created_at < now() - interval '90 days' limit ${STEP})`
  );
}

async function inSteps(step: () => Promise<{ count: number }>): Promise<void> {
  while ((await step()).count === STEP);
}
