import { recordAudit } from "../core/audit.ts";
import type { ActorContext } from "../core/context.ts";
import type { IdPath } from "../core/schema.ts";
import { getDelivery } from "../inbound/get.ts";
import { rerunDelivery } from "../inbound/replay.ts";
import type { DeliveryRecord } from "../inbound/schema.ts";
import { EFFECTS } from "./_effects.ts";

/**
 * Runs a stored delivery again in its sender's name and returns the outcome. Effects may run more
 * than once, because an effect that was already applied changes nothing.
 * @throws {AppError} not_found
 */
export async function replayDelivery(ctx: ActorContext, { id }: IdPath): Promise<DeliveryRecord> {
  const { provider } = await getDelivery(ctx, { id });
  await recordAudit(ctx, {
    account_id: null,
    action: "delivery.replayed",
    target_type: "delivery",
    target_id: id,
  });
  await rerunDelivery({ ...ctx, author: { kind: "webhook", id: provider } }, id, EFFECTS);
  return await getDelivery(ctx, { id });
}
