import { z } from "zod";
import { anyText, Id, Timestamp, WebAddress } from "../core/schema.ts";

export const Subscription = z.object({
  id: z.string(),
  status: z.string().describe("Status in the payment provider's own words"),
  price_id: z.string().nullable(),
  cancel_at_period_end: z.boolean().describe(
    "True if the subscription was cancelled and runs until the end of its period",
  ),
  cancel_at: Timestamp.nullable().describe("When the subscription will end, if the payment provider says so"),
  current_period_end: Timestamp.nullable(),
}).meta({ id: "Subscription" });
export type Subscription = z.infer<typeof Subscription>;

export const Billing = z.object({
  account_id: Id,
  customer_id: z.string().nullable(),
  subscription: Subscription.nullable(),
}).meta({ id: "Billing" });
export type Billing = z.infer<typeof Billing>;

export const StartCheckout = z.strictObject({
  price: anyText(1, 200).describe("Id of a recurring price at the payment provider"),
  success_url: WebAddress,
  cancel_url: WebAddress,
});
export type StartCheckout = z.infer<typeof StartCheckout>;

export const OpenPortal = z.strictObject({ return_url: WebAddress });
export type OpenPortal = z.infer<typeof OpenPortal>;

export const HostedPage = z.object({
  id: z.string(),
  url: z.string().describe("Address to send the browser to"),
}).meta({ id: "HostedPage" });
export type HostedPage = z.infer<typeof HostedPage>;

/** The id of an object that the provider sends either as id or as the whole object. */
const Reference = z.union([
  anyText(1, 200),
  z.looseObject({ id: anyText(1, 200) }).transform(({ id }) => id),
]);

/** Epoch seconds up to the last time that the wire format can express. */
const Seconds = z.int().min(0).max(253_402_300_799);

export const PaymentEvent = z.looseObject({
  id: anyText(1, 200),
  type: anyText(1, 200).default("unknown"),
  account: z.string().nullish().describe("The connected account in which the event happened, if any"),
  created: Seconds.nullish().describe("Epoch seconds; when absent: the time of arrival"),
  data: z.looseObject({ object: z.looseObject({}) }).default({ object: {} }),
}).meta({ id: "PaymentEvent" });
export type PaymentEvent = z.infer<typeof PaymentEvent>;

/**
 * An event that reports a change without the new state, such as the provider's ping. None is known
 * here.
 */
export const ThinEvent = z.looseObject({
  object: z.literal("v2.core.event"),
  id: anyText(1, 200),
  type: anyText(1, 200),
});

export const CheckoutSession = z.looseObject({
  client_reference_id: z.string().nullish(),
  customer: Reference.nullish(),
  payment_status: z.string().nullish(),
  payment_link: Reference.nullish(),
});

/**
 * A subscription. Since the provider's version of 2025-03-31 a period belongs to each item; before,
 * it belonged to the subscription. A cancellation in its portal sets only `cancel_at` if the
 * subscription's billing mode is flexible.
 */
export const SubscriptionObject = z.looseObject({
  id: anyText(1, 200).nullish(),
  customer: Reference.nullish(),
  status: anyText(1, 100).nullish(),
  created: Seconds.nullish(),
  cancel_at_period_end: z.boolean().nullish(),
  cancel_at: Seconds.nullish(),
  current_period_end: Seconds.nullish(),
  items: z.looseObject({
    data: z.array(z.looseObject({
      current_period_end: Seconds.nullish(),
      price: z.looseObject({ id: anyText(1, 200) }).nullish(),
    })),
  }).nullish(),
});
export type SubscriptionObject = z.infer<typeof SubscriptionObject>;
