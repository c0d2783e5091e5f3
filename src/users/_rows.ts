import type { Actor, Context } from "../core/context.ts";
import type { Db } from "../../db/open.ts";
import { AppError } from "../core/errors.ts";
import { conflictOf } from "../core/failures.ts";

export function userColumns(db: Db) {
  return db`id, account_id, email, name, kind, role, deactivated_at, created_at, updated_at`;
}

/**
 * Refuses unless the caller is a super admin, because only a super admin may create, change or
 * remove one.
 */
export function refuseHigherRole(actor: Actor, role: string | undefined): void {
  if (role === "super_admin" && actor.user.role !== "super_admin") {
    throw new AppError("forbidden", "Only a super admin may make or manage a super admin");
  }
}

/**
 * Converts the violation for an email that another user has into a conflict, and counts it, because
 * it tells of addresses in other accounts. Returns any other error as it is.
 */
export function emailConflict({ metrics }: Context, error: unknown, email: string | undefined): unknown {
  const conflict = conflictOf(error, { users_email_key: `A user with the email ${email} exists already` });
  if (conflict !== error) metrics.takenEmails.inc();
  return conflict;
}
