import type { Context } from "../core/context.ts";
import { Id } from "../core/schema.ts";
import { parseAs, parseJson } from "../core/json.ts";
import type { Kept, Outcome } from "../inbound/schema.ts";
import { storeCustomer } from "./_store_customer.ts";
import { CheckoutSession, PaymentEvent, SubscriptionObject, ThinEvent } from "./schema.ts";

/**
 * The order of events within one second of the sender's clock: events early in a subscription's
 * life count least.
 */
const SUBSCRIPTION_EVENTS = new Map([
  ["customer.subscription.created", 0],
  ["customer.subscription.updated", 1],
  ["customer.subscription.paused", 1],
  ["customer.subscription.resumed", 1],
  ["customer.subscription.deleted", 2],
]);

/**
 * The other checkout events report a payment that took days. If it failed, the subscription goes on
 * and the amount due is requested again.
 */
const CHECKOUT_EVENTS = [
  "checkout.session.completed",
  "checkout.session.async_payment_succeeded",
  "checkout.session.async_payment_failed",
];

/** Parses a verified body. A thin event yields only its name. */
export function parsePaymentEvent(
  body: Uint8Array,
): { id: string; type: string; event: PaymentEvent | null } {
  const json = parseJson(body);
  const thin = ThinEvent.safeParse(json);
  if (thin.success) return { ...thin.data, event: null };
  const event = parseAs(PaymentEvent, json);
  return { id: event.id, type: event.type, event };
}

/** Applies a stored body. For any order of arrival, the last event by the sender's order wins. */
export async function applyPaymentDelivery(ctx: Context, { body, received_at }: Kept): Promise<Outcome> {
  const sent = parsePaymentEvent(body).event;
  if (!sent) return { outcome: "ignored", reason: "unknown_event" };
  const event = { ...sent, created: sent.created ?? Math.floor(Date.parse(received_at) / 1000) };
  // Purchases from a connected account are none of our subscriptions, and the owner of such an
  // account chooses whose purchase an event names.
  if (event.account) return { outcome: "ignored", reason: "connected_account" };
  if (CHECKOUT_EVENTS.includes(event.type)) return await linkCustomer(ctx, event);
  const rank = SUBSCRIPTION_EVENTS.get(event.type);
  if (rank === undefined) return { outcome: "ignored", reason: "unknown_event" };
  return await storeSubscription(ctx, event, rank);
}

type TimedEvent = PaymentEvent & { created: number };

async function linkCustomer({ db, config }: Context, event: TimedEvent): Promise<Outcome> {
  const session = parseAs(CheckoutSession, event.data.object);
  const isPending = event.type === "checkout.session.completed" && session.payment_status === "unpaid";
  if (isPending) return { outcome: "ignored", reason: "unpaid" };
  if (!session.customer) return { outcome: "ignored", reason: "no_customer" };
  // The address of a payment link names any account that its reader writes there. Admins of the
  // account open the service's own pages.
  if (session.payment_link && config.STRIPE_SECRET_KEY) return { outcome: "ignored", reason: "payment_link" };
  const account = Id.safeParse(session.client_reference_id);
  const known = account.success &&
    (await db`select from accounts where id = ${account.data}::uuid`).count === 1;
  if (!known) return { outcome: "ignored", reason: "unknown_account" };
  const linked = await storeCustomer(db, account.data, session.customer, event);
  return linked ? { outcome: "applied" } : OLDER;
}

const OLDER: Outcome = { outcome: "ignored", reason: "older_than_known" };

async function storeSubscription({ db }: Context, event: TimedEvent, rank: number): Promise<Outcome> {
  const subscription = parseAs(SubscriptionObject, event.data.object);
  const { id, customer, status, cancel_at_period_end, cancel_at, created, items } = subscription;
  if (!id) return { outcome: "ignored", reason: "no_subscription" };
  if (!customer) return { outcome: "ignored", reason: "no_customer" };
  if (!status) return { outcome: "ignored", reason: "no_status" };
  // No subscription returns to `incomplete`, and the ids of events are in no order.
  const place = status === "incomplete" ? 0 : rank;
  const stored = await db`
    insert into billing_subscriptions as s (subscription_id, customer_id, status, price_id, cancel_at_period_end,
      cancel_at, current_period_end, started_at, ended, event_created, event_rank, event_id)
    values (${id}, ${customer}, ${status}, ${items?.data[0]?.price?.id ?? null},
      ${cancel_at_period_end || cancel_at != null}, to_timestamp(${cancel_at ?? null}::float8),
      to_timestamp(${periodEnd(subscription)}::float8), to_timestamp(${created ?? event.created}::float8),
      ${event.type === "customer.subscription.deleted"}, ${event.created}, ${place}, ${event.id})
    on conflict (subscription_id) do update set customer_id = excluded.customer_id, status = excluded.status,
      price_id = excluded.price_id, cancel_at_period_end = excluded.cancel_at_period_end, cancel_at = excluded.cancel_at,
      current_period_end = excluded.current_period_end, started_at = excluded.started_at, ended = excluded.ended,
      event_created = excluded.event_created, event_rank = excluded.event_rank, event_id = excluded.event_id,
      updated_at = now()
    where (excluded.ended, excluded.event_created, excluded.event_rank, excluded.event_id)
      >= (s.ended, s.event_created, s.event_rank, s.event_id)`;
  return stored.count === 1 ? { outcome: "applied" } : OLDER;
}

/**
 * Returns epoch seconds: the latest of the items' periods, or the subscription's own in older
 * versions of the provider.
 */
function periodEnd({ items, current_period_end }: SubscriptionObject): number | null {
  const ends = (items?.data ?? []).flatMap((item) => item.current_period_end ?? []);
  return ends.length > 0 ? Math.max(...ends) : current_period_end ?? null;
}
