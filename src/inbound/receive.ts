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

/** `repeat`: it had come and been decided before; nothing was done now. */
export interface Receipt {
  repeat: boolean;
  outcome: DeliveryOutcome;
  /** Stable word for why nothing, or not everything, was done. */
  reason?: string | undefined;
}

/**
 * Takes a verified delivery in: once, and together with its effect. Of twins at the same time the second waits for
 * the first and then is a repeat. One that failed before is tried again, and one whose subject was not set up yet.
 * @throws what the effect threw, after the failure was written down: the sender is told to come again
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

/** Like `receiveDelivery`, for an effect that a repeat is meant to run again. Answers what the effect did. */
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

/** After the commit: what a transaction takes back was not received. */
function count({ metrics }: Context, { provider }: Delivery, outcome: (typeof COUNTED)[number]): void {
  metrics.deliveries.inc({ provider, outcome });
}

interface Entered {
  id: string;
  received_at: string;
  outcome: DeliveryOutcome;
  reason: string | null;
}

/** The row is there as `failed` until its effect is in; nobody else sees it before. */
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
  // Pruned between the two statements: what is that old counts as new.
  if (!known) return await enter(ctx, delivery);
  // By a name that anyone may write, no event takes the place of one that is still to come again.
  const replaces = isOpen(known) && !known.same && !delivery.isNameSigned;
  return replaces ? await enter(ctx, { ...delivery, deliveryId: null }) : known;
}
