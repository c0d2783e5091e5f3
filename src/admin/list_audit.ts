import { namedAccount } from "../core/access.ts";
import type { ActorContext } from "../core/context.ts";
import { decodeCursor, page, pageLimit } from "../core/cursor.ts";
import type { AuditEntry, ListAudit } from "./audit_schema.ts";

/** What admins should know of, newest first: of the caller's account, for super admins of all. */
export async function listAudit(ctx: ActorContext, input: ListAudit) {
  const { db, actor: { user } } = ctx;
  const named = namedAccount(ctx.actor, input.account_id, "read another account's audit list");
  const accountId = input.account_id === undefined && user.role === "super_admin" ? null : named;
  const [before] = input.cursor ? decodeCursor(input.cursor, ["integer"]) : [null];
  const rows = await db<AuditEntry[]>`
    select id, created_at as at, account_id, action, actor, target_type, target_id, details, request_id from audit_log
    where true ${accountId === null ? db`` : db`and account_id = ${accountId}::uuid`}
      ${input.action === undefined ? db`` : db`and action = ${input.action}`}
      ${before === null ? db`` : db`and id < ${before!}::bigint`}
    order by id desc limit ${pageLimit(db, input.limit)}`;
  const { items, next_cursor } = page(rows, input.limit, ({ id }) => [id]);
  return { audit: items, next_cursor };
}
