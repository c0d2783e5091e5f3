import type { Db, Fragment } from "../../db/open.ts";

/**
 * The one user with an address, as the end of a statement from `users`. Addresses are stored in NFC, but for those of
 * before that would be another user's then.
 */
export function byEmail(db: Db, email: string): Fragment {
  return db`lower(email) in (lower(${email}), lower(${email.normalize()}))
    order by lower(email) <> lower(${email}) limit 1`;
}
