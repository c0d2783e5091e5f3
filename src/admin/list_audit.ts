import type { Db } from "../../db/open.ts";
import { unprepared } from "../../db/postgres_js/unprepared.ts";
import { namedAccount } from "../core/access.ts";
import type { ActorContext } from "../core/context.ts";
import { decodeCursor, page } from "../core/cursor.ts";
import { pageLimit } from "../core/planner.ts";
import type { AuditEntry, ListAudit } from "./schema.ts";

/** Returns the audit list, newest first: the caller's account, or all accounts for super admins. */
export async function listAudit(ctx: ActorContext, input: ListAudit) {
  const { db, actor: { user } } = ctx;
  const named = namedAccount(ctx.actor, input.account_id, "read another account's audit list");
  const accountId = input.account_id === undefined && user.role === "super_admin" ? null : named;
  const entries = readEntries(db, accountId, input);
  // An action may be rare among all entries. Only a plan that was made for the action's name starts
  // at the action's entries.
  const rows = await (input.action === undefined ? entries : unprepared(entries));
  const { items, next_cursor } = page(rows, input.limit, ({ id }) => [id]);
  return { audit: items, next_cursor };
}

function readEntries(db: Db, accountId: string | null, { action, cursor, limit }: ListAudit) {
  const [before] = cursor ? decodeCursor(cursor, ["integer"]) : [null];
  return db<AuditEntry[]>`
    select id, created_at as at, account_id, action, actor, target_type, target_id, details, request_id from audit_log
    where true ${accountId === null ? db`` : db`and account_id = ${accountId}::uuid`}
      ${action === undefined ? db`` : db`and action = ${action}`}
      ${before === null ? db`` : db`and id < ${before!}::bigint`}
    order by id desc limit ${pageLimit(db, limit)}`;
}
