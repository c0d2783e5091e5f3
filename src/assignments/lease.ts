import type { Db, Fragment } from "../../db/open.ts";

/** The length of an agent's claim after its last sign of life. */
export function lease(db: Db): Fragment {
  return db`now() + interval '15 minutes'`;
}

/**
 * The lease of the claim that `tasks t` has, from now. A person's claim has none, because it lasts
 * until it is given back.
 */
export function renewedLease(db: Db): Fragment {
  return db`case when exists (select from api_keys k where k.id = t.claimed_with)
    or exists (select from users u where u.id = t.assignee_user_id and t.claimed_with is not null and u.kind = 'bot')
    then ${lease(db)} end`;
}
