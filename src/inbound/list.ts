import type { Context } from "../core/context.ts";
import { afterId, page } from "../core/cursor.ts";
import { literal, pageLimit } from "../core/planner.ts";
import { summaryColumns } from "./_rows.ts";
import type { DeliverySummary, ListDeliveries } from "./schema.ts";

/** Returns received deliveries, the newest first. */
export async function listDeliveries({ db }: Context, input: ListDeliveries) {
  const { provider, outcome, event, subject, limit, cursor } = input;
  const rows = await db<DeliverySummary[]>`
    select ${summaryColumns(db)} from inbound_deliveries
    where true
      ${provider ? db`and provider = ${literal(db, provider)}` : db``}
      ${outcome ? db`and outcome = ${literal(db, outcome)}` : db``}
      ${event === undefined ? db`` : db`and event = ${event}`}
      ${subject === undefined ? db`` : db`and subject = ${subject}`}
      ${afterId(db, "id", cursor, "desc")}
    order by id desc limit ${pageLimit(db, limit)}`;
  const { items, next_cursor } = page(rows, limit, ({ id }) => [id]);
  return { deliveries: items, next_cursor };
}
