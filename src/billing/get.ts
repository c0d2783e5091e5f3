import type { ActorContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import type { Billing } from "./schema.ts";

/**
 * What the account pays. Of several subscriptions of its customer one that runs comes before one whose first payment
 * is awaited, and that before those that ended; of equals the youngest.
 * @throws {AppError} not_configured
 */
export async function getBilling(ctx: ActorContext): Promise<Billing> {
  const { STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET } = ctx.config;
  if (!STRIPE_SECRET_KEY && !STRIPE_WEBHOOK_SECRET) {
    throw new AppError("not_configured", "Billing is switched off: STRIPE_SECRET_KEY is not set");
  }
  const accountId = ctx.actor.user.account_id;
  const [row] = await ctx.db<Billing[]>`
    select c.account_id, c.customer_id, s.subscription
    from billing_customers c left join lateral (
      select jsonb_build_object('id', subscription_id, 'status', status, 'price_id', price_id, 'cancel_at_period_end',
        cancel_at_period_end, 'current_period_end',
        to_char(current_period_end at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) as subscription
      from billing_subscriptions where customer_id = c.customer_id
      order by ended or status in ('canceled', 'incomplete_expired'), status = 'incomplete', started_at desc, subscription_id
      limit 1
    ) s on true
    where c.account_id = ${accountId}::uuid`;
  return row ?? { account_id: accountId, customer_id: null, subscription: null };
}
