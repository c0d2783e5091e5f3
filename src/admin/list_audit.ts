import type { ActorContext } from "../core/context.ts";
import { decodeCursor, page } from "../core/cursor.ts";
import { AppError } from "../core/errors.ts";
import type { AuditEntry, ListAudit } from "./audit_schema.ts";

/** Sign-ins, key and role changes, gate bypasses, newest first: of the caller's account, for super admins of all. */
export async function listAudit(ctx: ActorContext, input: ListAudit) {
  const { db, actor: { user } } = ctx;
  const accountId = input.account_id ?? (user.role === "super_admin" ? null : user.account_id);
  if (accountId !== user.account_id && user.role !== "super_admin") {
    throw new AppError("forbidden", "Only a super admin may read another account's audit list");
  }
  const [before] = input.cursor ? decodeCursor(input.cursor, ["integer"]) : [null];
  const rows = await db<AuditEntry[]>`
    select id, created_at as at, account_id, action, actor, target_type, target_id, details, request_id from audit_log
    where true ${accountId === null ? db`` : db`and account_id = ${accountId}::uuid`}
      ${input.action === undefined ? db`` : db`and action = ${input.action}`}
      ${before === null ? db`` : db`and id < ${before!}::bigint`}
    order by id desc limit ${input.limit + 1}`;
  const { items, next_cursor } = page(rows, input.limit, ({ id }) => [id]);
  return { audit: items, next_cursor };
}
