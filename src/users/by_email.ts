import type { Db, Fragment } from "../../db/open.ts";

/**
 * Selects the one user with an address, as the end of a statement from `users`. Addresses are
 * stored in NFC, except for older ones whose NFC form would be another user's address.
 */
export function byEmail(db: Db, email: string): Fragment {
  return db`lower(email) in (lower(${email}), lower(${email.normalize()}))
    order by lower(email) <> lower(${email}) limit 1`;
}
