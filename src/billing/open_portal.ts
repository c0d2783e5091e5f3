import type { ActorContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { askStripe, openStripe, toHostedPage } from "./_stripe.ts";
import { getBilling } from "./get.ts";
import type { HostedPage, OpenPortal } from "./schema.ts";

/**
 * Opens a page of the provider on which the account changes or ends its subscription.
 * @throws {AppError} not_configured; conflict before the first checkout, and for the provider's
 * refusals
 */
export async function openPortal(ctx: ActorContext, input: OpenPortal): Promise<HostedPage> {
  const stripe = openStripe(ctx.config);
  const { customer_id } = await getBilling(ctx);
  if (customer_id === null) {
    throw new AppError("conflict", "Cannot open the billing portal: the account has not subscribed yet");
  }
  const session = await askStripe(
    { return_url: "return_url" },
    () => stripe.billingPortal.sessions.create({ customer: customer_id, return_url: input.return_url }),
  );
  return toHostedPage(session);
}
