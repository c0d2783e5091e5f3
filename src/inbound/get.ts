import type { Context } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import type { IdPath } from "../core/schema.ts";
import { summaryColumns } from "./_rows.ts";
import type { DeliveryRecord, DeliverySummary } from "./schema.ts";

/** Returns one delivery with its body. @throws {AppError} not_found */
export async function getDelivery({ db }: Context, { id }: IdPath): Promise<DeliveryRecord> {
  const [row] = await db<(DeliverySummary & { raw: Uint8Array })[]>`
    select ${summaryColumns(db)}, body as raw from inbound_deliveries where id = ${id}::uuid`;
  if (!row) throw new AppError("not_found", "No such delivery");
  const { raw, ...summary } = row;
  return { ...summary, body: new TextDecoder().decode(raw) };
}
