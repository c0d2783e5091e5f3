import type { ActorContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import type { Billing, Subscription } from "./schema.ts";

/**
 * Returns the account's subscription and customer. If the account's customers have several
 * subscriptions, the first one by status is returned, and among equals the newest. The order is:
 * running, awaiting the first payment, ended.
 * @throws {AppError} not_configured
 */
export async function getBilling(ctx: ActorContext): Promise<Billing> {
  const { STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET } = ctx.config;
  if (!STRIPE_SECRET_KEY && !STRIPE_WEBHOOK_SECRET) {
    throw new AppError("not_configured", "Billing is switched off: STRIPE_SECRET_KEY is not set");
  }
  const accountId = ctx.actor.user.account_id;
  const [row] = await ctx.db<({ customer_id: string } & (Subscription | { id: null }))[]>`
    select c.customer_id, s.subscription_id as id, s.status, s.price_id, s.cancel_at_period_end, s.cancel_at, s.current_period_end
    from billing_customers c left join billing_subscriptions s on s.customer_id = c.customer_id
    where c.account_id = ${accountId}::uuid
    order by s.subscription_id is null, s.ended or s.status in ('canceled', 'incomplete_expired'), s.status = 'incomplete',
      s.started_at desc, s.subscription_id, c.event_created desc, c.event_id desc
    limit 1`;
  if (!row) return { account_id: accountId, customer_id: null, subscription: null };
  const { customer_id, ...subscription } = row;
  return { account_id: accountId, customer_id, subscription: subscription.id === null ? null : subscription };
}
