import type { ActorContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { askStripe, openStripe } from "./_stripe.ts";
import { getBilling } from "./get.ts";
import type { HostedPage, StartCheckout } from "./schema.ts";

/**
 * Opens a page of the provider where the account subscribes. What comes of it is told by the provider's webhook.
 * @throws {AppError} not_configured; invalid_request for a price that the provider does not know
 */
export async function startCheckout(ctx: ActorContext, input: StartCheckout): Promise<HostedPage> {
  const stripe = openStripe(ctx.config);
  const { user } = ctx.actor;
  const { customer_id } = await getBilling(ctx);
  const session = await askStripe({ "line_items[0][price]": "price" }, () =>
    stripe.checkout.sessions.create({
      mode: "subscription",
      client_reference_id: user.account_id,
      ...(customer_id ? { customer: customer_id } : { customer_email: user.email }),
      line_items: [{ price: input.price, quantity: 1 }],
      success_url: input.success_url,
      cancel_url: input.cancel_url,
    }));
  if (!session.url) throw new AppError("unavailable", "The payment provider opened no page");
  return { id: session.id, url: session.url };
}
