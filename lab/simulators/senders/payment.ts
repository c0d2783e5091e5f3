import Stripe from "stripe";
import type { Sent } from "./sent.ts";

export interface PaymentEvent {
  id: string;
  type: string;
  /** Epoch seconds. */
  created: number;
  object: Record<string, unknown>;
  /** The connected account in which it happened. */
  account?: string;
}

const provider = Stripe.createSubtleCryptoProvider();

/** Makes an event as Stripe sends it. `signedAt` is in epoch seconds; now if absent. */
export async function paymentDelivery(secret: string, event: PaymentEvent, signedAt?: number): Promise<Sent> {
  const { id, type, created, object, account } = event;
  const payload = JSON.stringify({
    id,
    object: "event",
    ...(account && { account }),
    api_version: Stripe.API_VERSION,
    created,
    data: { object },
    livemode: false,
    pending_webhooks: 1,
    request: { id: null, idempotency_key: null },
    type,
  });
  return await signedPaymentBody(secret, payload, signedAt);
}

export async function signedPaymentBody(secret: string, payload: string, signedAt?: number): Promise<Sent> {
  const signature = await Stripe.webhooks.generateTestHeaderStringAsync({
    payload,
    secret,
    cryptoProvider: provider,
    ...(signedAt !== undefined && { timestamp: signedAt }),
  });
  return {
    path: "/webhooks/payment-provider",
    headers: { "content-type": "application/json; charset=utf-8", "stripe-signature": signature },
    body: new TextEncoder().encode(payload),
  };
}

/**
 * Makes a subscription in the form of the current version: periods belong to its items, and billing
 * is flexible. A planned cancellation, as `cancelAt` in epoch seconds, leaves
 * `cancel_at_period_end` unchanged, as it does at Stripe.
 */
export function subscription(fields: {
  id: string;
  customer: string;
  status: string;
  periodEnd: number;
  created?: number;
  price?: string;
  cancelAt?: number;
}): Record<string, unknown> {
  const { id, customer, status, periodEnd, created = periodEnd - 30 * 86_400, price = "price_team" } = fields;
  return {
    id,
    object: "subscription",
    customer,
    status,
    created,
    start_date: created,
    billing_mode: { type: "flexible" },
    cancel_at: fields.cancelAt ?? null,
    cancel_at_period_end: false,
    items: {
      object: "list",
      data: [{
        id: `si_${id.slice(4)}`,
        object: "subscription_item",
        current_period_start: created,
        current_period_end: periodEnd,
        price: { id: price, object: "price", currency: "eur", unit_amount: 900 },
        quantity: 1,
      }],
    },
    metadata: {},
  };
}

export function checkoutSession(fields: {
  id: string;
  accountId: string;
  customer: string;
  subscription: string;
  paymentStatus?: string;
}): Record<string, unknown> {
  return {
    id: fields.id,
    object: "checkout.session",
    mode: "subscription",
    status: "complete",
    client_reference_id: fields.accountId,
    customer: fields.customer,
    subscription: fields.subscription,
    payment_status: fields.paymentStatus ?? "paid",
  };
}
