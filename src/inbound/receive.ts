import { createHash } from "node:crypto";
import { v7 as uuid } from "uuid";
import type { Context } from "../core/context.ts";
import { type Attempt, transact } from "../core/transact.ts";
import { attempt } from "./_attempt.ts";
import {
  type COUNTED,
  type Delivery,
  type DeliveryOutcome,
  type Effect,
  isOpen,
  type Outcome,
} from "./schema.ts";

/** With `repeat`, the delivery had been decided before and nothing was done now. */
export interface Receipt {
  repeat: boolean;
  outcome: DeliveryOutcome;
  /** A stable word for the reason why nothing, or not everything, was done. */
  reason?: string | undefined;
}

/**
 * Stores a verified delivery once, together with its effect. If the same delivery comes twice at
 * the same time, the second one waits for the first and then counts as a repeat. A delivery that
 * failed before is tried again. So is a delivery whose subject was not set up at that time.
 * @throws the error of the effect, after the failure was stored, so that the sender sends again
 */
export async function receiveDelivery(ctx: Context, delivery: Delivery, effect: Effect): Promise<Receipt> {
  const received = await transact(ctx, async (ctx) => {
    const entered = await enter(ctx, delivery);
    if (!isOpen(entered)) return { repeated: entered.outcome };
    const { id, received_at } = entered;
    return await attempt(ctx, { id, received_at, body: delivery.body }, effect);
  });
  if ("repeated" in received) {
    count(ctx, delivery, "repeated");
    return { repeat: true, outcome: received.repeated };
  }
  const { outcome, reason } = resultOf(ctx, delivery, received);
  return { repeat: false, outcome, reason };
}

/**
 * Like `receiveDelivery`, for an effect that a repeat should run again. Returns the result of the
 * effect.
 */
export async function receiveEachTime<Result extends Outcome>(
  ctx: Context,
  delivery: Delivery,
  effect: Effect<Result>,
): Promise<Result> {
  const attempted = await transact(ctx, async (ctx) => {
    const { id, received_at } = await enter(ctx, delivery);
    return await attempt(ctx, { id, received_at, body: delivery.body }, effect);
  });
  return resultOf(ctx, delivery, attempted);
}

function resultOf<Result extends Outcome>(
  ctx: Context,
  delivery: Delivery,
  attempted: Attempt<Result>,
): Result {
  count(ctx, delivery, "failure" in attempted ? "failed" : attempted.result.outcome);
  if ("failure" in attempted) throw attempted.failure;
  return attempted.result;
}

/** Counts after the commit, because a delivery that a rollback undoes was not received. */
function count({ metrics }: Context, { provider }: Delivery, outcome: (typeof COUNTED)[number]): void {
  metrics.deliveries.inc({ provider, outcome });
}

interface Entered {
  id: string;
  received_at: string;
  outcome: DeliveryOutcome;
  reason: string | null;
}

/** Inserts the row as `failed` until its effect is done. Nobody else sees the row before that. */
async function enter(ctx: Context, delivery: Delivery): Promise<Entered> {
  const { provider, deliveryId, event, body, subject = null } = delivery;
  const hash = new Uint8Array(createHash("sha256").update(body).digest());
  const [entered] = await ctx.db<Entered[]>`
    insert into inbound_deliveries (id, provider, delivery_id, event, subject, body, body_sha256, outcome, attempts, request_id)
    values (${uuid()}::uuid, ${provider}, ${deliveryId}, ${event}, ${subject}, ${body}, ${hash}, 'failed', 0, ${ctx.requestId})
    on conflict do nothing returning id, received_at, outcome, reason`;
  if (entered) return entered;
  const [known] = await ctx.db<(Entered & { same: boolean })[]>`
    select id, received_at, outcome, reason, body_sha256 = ${hash} as same from inbound_deliveries
    where provider = ${provider} and (delivery_id = ${deliveryId} or body_sha256 = ${hash})
    order by same desc limit 1 for update`;
  // The row was deleted as old between the two statements. A delivery that is so old counts as new.
  if (!known) return await enter(ctx, delivery);
  // If anyone may choose the name, an event must not replace another event that is still expected
  // to come again.
  const replaces = isOpen(known) && !known.same && !delivery.isNameSigned;
  return replaces ? await enter(ctx, { ...delivery, deliveryId: null }) : known;
}
