import type { Context } from "../core/context.ts";
import { afterId, page, pageLimit } from "../core/cursor.ts";
import { literal } from "../core/literal.ts";
import { summaryColumns } from "./_rows.ts";
import type { DeliverySummary, ListDeliveries } from "./schema.ts";

/** What came in, the newest first. */
export async function listDeliveries({ db }: Context, input: ListDeliveries) {
  const equal = (["event", "subject"] as const)
    .filter((name) => input[name] !== undefined)
    .reduce((all, name) => db`${all} and ${db(name)} = ${input[name]!}`, db``);
  const ofKind = (["provider", "outcome"] as const)
    .filter((name) => input[name] !== undefined)
    .reduce((all, name) => db`${all} and ${db(name)} = ${literal(db, input[name]!)}`, db``);
  const rows = await db<DeliverySummary[]>`
    select ${summaryColumns(db)} from deliveries
    where true ${ofKind} ${equal} ${afterId(db, "id", input.cursor, "desc")}
    order by id desc limit ${pageLimit(db, input.limit)}`;
  const { items, next_cursor } = page(rows, input.limit, ({ id }) => [id]);
  return { deliveries: items, next_cursor };
}
