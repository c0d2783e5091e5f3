import { createHash } from "node:crypto";
import { v7 as uuid } from "uuid";
import type { Context } from "../core/context.ts";
import { transact } from "../core/history.ts";
import { attempt } from "./_attempt.ts";
import type { Delivery, DeliveryOutcome, Effect, Receipt } from "./schema.ts";

/**
 * Takes a verified delivery in: once, and together with its effect. Of twins at the same time the second waits for
 * the first and then is a repeat. One that failed before is tried again.
 * @throws what the effect threw, after the failure was written down: the sender is told to come again
 */
export async function receiveDelivery(ctx: Context, delivery: Delivery, effect: Effect): Promise<Receipt> {
  return settled(
    await transact(ctx, async (ctx) => {
      const { id, outcome } = await enter(ctx, delivery);
      return outcome === "failed" ? await attempt(ctx, id, effect) : { id, repeat: true, outcome };
    }),
  );
}

/** Like `receiveDelivery`, for an effect that a repeat is meant to run again. */
export async function receiveEachTime(ctx: Context, delivery: Delivery, effect: Effect): Promise<Receipt> {
  return settled(
    await transact(ctx, async (ctx) => {
      const { id } = await enter(ctx, delivery);
      return await attempt(ctx, id, effect);
    }),
  );
}

function settled(receipt: Receipt): Receipt {
  if (receipt.outcome === "failed") throw receipt.failure;
  return receipt;
}

/** The row is there as `failed` until its effect is in; nobody else sees it before. */
async function enter(ctx: Context, delivery: Delivery): Promise<{ id: string; outcome: DeliveryOutcome }> {
  const { provider, deliveryId, event, body, subject = null } = delivery;
  const hash = new Uint8Array(createHash("sha256").update(body).digest());
  const [entered] = await ctx.db<{ id: string }[]>`
    insert into deliveries (id, provider, delivery_id, event, subject, body, body_sha256, outcome, attempts, request_id)
    values (${uuid()}::uuid, ${provider}, ${deliveryId}, ${event}, ${subject}, ${body}, ${hash}, 'failed', 0, ${ctx.requestId})
    on conflict do nothing returning id`;
  if (entered) return { id: entered.id, outcome: "failed" };
  const [known] = await ctx.db<{ id: string; outcome: DeliveryOutcome }[]>`
    select id, outcome from deliveries
    where provider = ${provider} and (delivery_id = ${deliveryId} or body_sha256 = ${hash})
    order by received_at, id limit 1 for update`;
  // Pruned between the two statements: what is that old counts as new.
  return known ?? await enter(ctx, delivery);
}
