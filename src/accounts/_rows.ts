import type { Db } from "../../db/open.ts";
import { conflictOf } from "../core/failures.ts";

/** The columns of an Account. */
export function accountColumns(db: Db) {
  return db`id, name, slug, created_at, updated_at`;
}

/**
 * Converts the violation for a slug that another account has into a conflict; returns any other
 * error as it is.
 */
export function slugConflict(error: unknown, slug: string | undefined): unknown {
  return conflictOf(error, { accounts_slug_key: `Another account has the slug ${slug}` });
}
