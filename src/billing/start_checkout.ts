import { createHash } from "node:crypto";
import Stripe from "stripe";
import type { ActorContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { askStripe, openStripe } from "./_stripe.ts";
import { getBilling } from "./get.ts";
import type { HostedPage, StartCheckout } from "./schema.ts";

/** Of a subscription that ended, or whose first payment may never come. Any other one runs, also of a new name. */
const NOT_RUNNING = ["canceled", "incomplete", "incomplete_expired"];

const FIELDS = { "line_items[0][price]": "price", success_url: "success_url", cancel_url: "cancel_url" };

/**
 * Opens a page of the provider where the account subscribes. What comes of it is told by the provider's webhook.
 * @throws {AppError} not_configured; conflict while a subscription runs, and for what the provider refuses;
 * invalid_request for a price that it does not know
 */
export async function startCheckout(ctx: ActorContext, input: StartCheckout): Promise<HostedPage> {
  const stripe = openStripe(ctx.config);
  const { user } = ctx.actor;
  const { customer_id, subscription } = await getBilling(ctx);
  if (subscription && !NOT_RUNNING.includes(subscription.status)) {
    throw new AppError(
      "conflict",
      `Cannot subscribe: the account's subscription is ${subscription.status}; change it in the billing portal`,
    );
  }
  const open = (payer: Stripe.Checkout.SessionCreateParams) => {
    const page: Stripe.Checkout.SessionCreateParams = {
      mode: "subscription",
      client_reference_id: user.account_id,
      ...payer,
      line_items: [{ price: input.price, quantity: 1 }],
      success_url: input.success_url,
      cancel_url: input.cancel_url,
    };
    return stripe.checkout.sessions.create(page, { idempotencyKey: keyOf(page) });
  };
  // The address only fills in a field of the page, and the provider takes none without a public domain.
  const openAnew = () =>
    open({ customer_email: user.email }).catch((error) => {
      if (!isRefused(error, "email_invalid", "customer_email")) throw error;
      return open({});
    });
  const session = await askStripe(FIELDS, () => {
    if (customer_id === null) return openAnew();
    return open({ customer: customer_id }).catch((error) => {
      if (!isCustomerGone(error)) throw error;
      return openAnew();
    });
  });
  if (!session.url) throw new AppError("unavailable", "The payment provider opened no page");
  return { id: session.id, url: session.url };
}

/**
 * One page for all calls of a minute that ask for the same, so that a double click doesn't open two to be paid. No longer:
 * the provider gives the first answer for a key again for a day, also when it was a failure or its page is used up.
 */
function keyOf(page: Stripe.Checkout.SessionCreateParams): string {
  const minute = Math.floor(Date.now() / 60_000);
  return createHash("sha256").update(JSON.stringify([minute, page])).digest("hex");
}

/** Deleted, or of another mode or account than the secret key's. */
function isCustomerGone(error: unknown): boolean {
  return isRefused(error, "resource_missing", "customer");
}

function isRefused(error: unknown, code: string, param: string): boolean {
  return error instanceof Stripe.errors.StripeInvalidRequestError && error.code === code &&
    error.param === param;
}
