import type { ProjectContext } from "../core/context.ts";
import { afterId, page } from "../core/cursor.ts";
import { pageLimit } from "../core/planner.ts";
import { deliveryColumns, requireEndpoint } from "./_rows.ts";
import type { Delivery, ListDeliveries } from "./schema.ts";

/** Returns the deliveries of the last 30 days, newest first. @throws {AppError} not_found */
export async function listDeliveries(ctx: ProjectContext, input: ListDeliveries) {
  const { db } = ctx;
  await requireEndpoint(ctx, input);
  const rows = await db<Delivery[]>`
    select ${deliveryColumns(db)} from outbound_deliveries d
    where d.endpoint_id = ${input.webhookId}::uuid ${input.status ? db`and d.status = ${input.status}` : db``}
      ${afterId(db, "d.id", input.cursor, "desc")}
    order by d.id desc limit ${pageLimit(db, input.limit)}`;
  const { items, next_cursor } = page(rows, input.limit, ({ id }) => [id]);
  return { deliveries: items, next_cursor };
}
