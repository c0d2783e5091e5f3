import { paymentDelivery, type PaymentEvent } from "../../lab/simulators/senders/payment.ts";
import { next } from "../factories.ts";
import type { Answer, Harness } from "../harness.ts";

export const STRIPE_WEBHOOK_SECRET = "whsec_of_the_tests";

export async function sendPaymentEvent(harness: Harness, event: PaymentEvent): Promise<Answer> {
  const { path, headers, body } = await paymentDelivery(STRIPE_WEBHOOK_SECRET, event);
  return await harness.call("POST", path, { headers, raw: body });
}

/** Makes ids of a customer's objects. They differ in each call. */
export function newCustomer() {
  const number = next().toString(36).padStart(14, "0");
  return {
    customer: `cus_${number}`,
    subscription: `sub_${number}`,
    session: `cs_test_${number}`,
    event: `evt_${number}`,
  };
}
