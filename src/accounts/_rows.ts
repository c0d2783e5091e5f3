import type { Db } from "../../db/open.ts";
import { isUniqueViolation } from "../../db/errors.ts";
import { AppError } from "../core/errors.ts";

/** The columns of an Account. */
export function accountColumns(db: Db) {
  return db`id, name, slug, created_at, updated_at`;
}

/** The named error for a slug that another account has; any other error as it is. */
export function slugConflict(error: unknown, slug: string | undefined): unknown {
  if (!isUniqueViolation(error, "accounts_slug_key")) return error;
  return new AppError("conflict", `Another account has the slug ${slug}`, { cause: error });
}
