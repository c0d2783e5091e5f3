import { z } from "zod";
import { applyPaymentDelivery, parsePaymentEvent } from "../../billing/apply_delivery.ts";
import { PaymentEvent } from "../../billing/schema.ts";
import { verifyPaymentEvent } from "../../billing/verify_event.ts";
import { receiveDelivery } from "../../inbound/receive.ts";
import { answersOf, MAX_BODY_BYTES, Taken, tellOutcome, type Webhook } from "./webhook.ts";

/** Stripe. */
export const paymentWebhook: Webhook = {
  path: "/webhooks/payment-provider",
  provider: "payment",
  secret: "STRIPE_WEBHOOK_SECRET",
  maxBytes: MAX_BODY_BYTES,
  operation: {
    operationId: "webhooks.payment",
    summary: "Payment provider webhook",
    description: "Takes checkout.session.completed, async_payment_succeeded and async_payment_failed, and " +
      "customer.subscription.created, updated, paused, resumed and deleted, in any order and any number; others are " +
      "acknowledged.",
    requestParams: {
      header: z.object({ "stripe-signature": z.string().describe("`t=…,v1=…`, not more than 300 s old") }),
    },
    requestBody: {
      required: true,
      content: {
        "application/json": {
          schema: PaymentEvent,
          example: {
            id: "evt_1MqqbKLt4dXK03v5qaIbiNCC",
            type: "customer.subscription.updated",
            created: 1_764_000_000,
            data: {
              object: { id: "sub_1MowQVLkdIwHu7ix", customer: "cus_Na6dX7aXxi11N4", status: "active" },
            },
          },
        },
      },
    },
    responses: answersOf(Taken, "invalid_signature_payload"),
  },
  async receive({ ctx, provider, headers, body, secrets, answer }) {
    await verifyPaymentEvent(body, headers.get("stripe-signature"), secrets);
    const { id, type } = parsePaymentEvent(body);
    const delivery = { provider, deliveryId: id, isNameSigned: true, event: type, body };
    tellOutcome(answer, await receiveDelivery(ctx, delivery, applyPaymentDelivery));
    return { ok: true };
  },
};
