import type Stripe from "stripe";
import type { ActorContext, User } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import {
  closePage,
  digest,
  findLastPage,
  type LastPage,
  replaceLastPage,
  retrievePage,
} from "./_checkout_page.ts";
import { storeCustomer } from "./_store_customer.ts";
import { askStripe, isRefused, nullIfMissing, openStripe, toHostedPage } from "./_stripe.ts";
import { getBilling } from "./get.ts";
import type { HostedPage, StartCheckout } from "./schema.ts";

const ENDED = ["canceled", "incomplete_expired"];
/**
 * With `incomplete` the first payment may never come. Any other status counts as running, even one
 * that this code doesn't know.
 */
const NOT_RUNNING = [...ENDED, "incomplete"];

const FIELDS = { "line_items[0][price]": "price", success_url: "success_url", cancel_url: "cancel_url" };

/**
 * Opens a page of the provider on which the account subscribes. The provider's webhook reports the
 * outcome. An account has one open page: a caller who clicks twice gets the same page, and any
 * other call closes it.
 * @throws {AppError} not_configured; conflict while a subscription runs, and for the provider's
 * refusals; invalid_request for a price that the provider does not know
 */
export async function startCheckout(ctx: ActorContext, input: StartCheckout): Promise<HostedPage> {
  const stripe = openStripe(ctx.config);
  const { customer_id } = await getBilling(ctx);
  await requireNoneRunning(ctx, stripe);
  const asked = digest({ ...input, payer: customer_id ?? ctx.actor.user.email });
  const last = await findLastPage(ctx);
  const session = await askStripe(FIELDS, async () => {
    const page = last && await retrievePage(stripe, last);
    if (page?.status === "complete") await requireEnd(ctx, page);
    if (page?.status === "open" && last?.is_fresh && last.asked === asked) return page;
    if (page?.status === "open") await closePage(stripe, page.id);
    const made = await makePage(stripe, ctx.actor.user, { ...input, customer: customer_id, after: last });
    if (await replaceLastPage(ctx, last, { session_id: made.id, asked })) return made;
    await closePage(stripe, made.id);
    return null;
  });
  if (!session) return await startCheckout(ctx, input);
  return toHostedPage(session);
}

/**
 * Asks the provider whether a subscription runs. The event about the subscription's end may have
 * been lost, and a subscription of the test mode doesn't exist in the live mode.
 */
async function requireNoneRunning({ actor, db }: ActorContext, stripe: Stripe): Promise<void> {
  const running = await db<{ id: string }[]>`
    select s.subscription_id as id from billing_customers c join billing_subscriptions s on s.customer_id = c.customer_id
    where c.account_id = ${actor.user.account_id}::uuid and not s.ended and s.status <> all (${NOT_RUNNING}::text[])`;
  for (const { id } of running) {
    const now = await askStripe({}, () => stripe.subscriptions.retrieve(id).catch(nullIfMissing));
    if (now && !NOT_RUNNING.includes(now.status)) throw subscribed(now.status);
  }
}

/** The customer and subscription of a completed page. */
interface Paid {
  customer: string | null;
  subscription: Stripe.Subscription | null;
}

/**
 * Refuses a second subscription if a completed page has made one already. The page's event may be
 * late or may not report a payment yet. The account manages that subscription in the portal.
 * @throws {AppError} conflict; unavailable for a page that doesn't name its subscription
 */
async function requireEnd({ actor, db }: ActorContext, page: Stripe.Checkout.Session): Promise<void> {
  const { customer, subscription } = page as Paid;
  if (!customer || !subscription) {
    throw new AppError("unavailable", "The payment provider did not name the subscription");
  }
  if (ENDED.includes(subscription.status)) return;
  await storeCustomer(db, actor.user.account_id, customer, page);
  throw subscribed(subscription.status);
}

function subscribed(status: string): AppError {
  return new AppError(
    "conflict",
    `Cannot subscribe: the account's subscription is ${status}; change it in the billing portal`,
  );
}

type Page = StartCheckout & { customer: string | null; after: LastPage | undefined };

async function makePage(stripe: Stripe, user: User, page: Page): Promise<Stripe.Checkout.Session> {
  const make = (payer: Stripe.Checkout.SessionCreateParams) => {
    const params: Stripe.Checkout.SessionCreateParams = {
      mode: "subscription",
      client_reference_id: user.account_id,
      ...payer,
      line_items: [{ price: page.price, quantity: 1 }],
      success_url: page.success_url,
      cancel_url: page.cancel_url,
    };
    return stripe.checkout.sessions.create(params, { idempotencyKey: keyOf(params, page.after) });
  };
  // The address only fills in a field of the page, and the provider rejects one without a public
  // domain.
  const makeAnew = () =>
    make({ customer_email: user.email }).catch((error) => {
      if (!isRefused(error, "email_invalid", "customer_email")) throw error;
      return make({});
    });
  if (page.customer === null) return await makeAnew();
  return await make({ customer: page.customer }).catch((error) => {
    // The reasons are the same as in nullIfMissing.
    if (!isRefused(error, "resource_missing", "customer")) throw error;
    return makeAnew();
  });
}

/**
 * Returns one key for all calls of a minute with the same request. A key must not last longer,
 * because the provider repeats the first answer to a key for a day, even if that answer was a
 * failure.
 */
function keyOf(params: Stripe.Checkout.SessionCreateParams, after: LastPage | undefined): string {
  const minute = Math.floor(Date.now() / 60_000);
  return digest([minute, after?.session_id, params]);
}
