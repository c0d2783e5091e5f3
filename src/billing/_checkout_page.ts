import { createHash } from "node:crypto";
import Stripe from "stripe";
import type { ActorContext } from "../core/context.ts";
import { nullIfMissing } from "./_stripe.ts";

/** The page to which an account was sent last. */
export interface LastPage {
  session_id: string;
  /** A digest of the request. */
  asked: string;
  /**
   * The page is recent enough to be returned again for the same request. An older one may be out of
   * date.
   */
  is_fresh: boolean;
}

const FRESH_SECONDS = 60;

export async function findLastPage({ actor, db }: ActorContext): Promise<LastPage | undefined> {
  const [last] = await db<LastPage[]>`
    select session_id, asked, updated_at > now() - make_interval(secs => ${FRESH_SECONDS}) as is_fresh
    from billing_checkouts where account_id = ${actor.user.account_id}::uuid`;
  return last;
}

/** Returns false if another caller's page has replaced `last` since `last` was read. */
export async function replaceLastPage(
  { actor, db }: ActorContext,
  last: LastPage | undefined,
  { session_id, asked }: Omit<LastPage, "is_fresh">,
): Promise<boolean> {
  const replaced = await db`
    insert into billing_checkouts as c (account_id, session_id, asked)
    values (${actor.user.account_id}::uuid, ${session_id}, ${asked})
    on conflict (account_id) do update set session_id = excluded.session_id, asked = excluded.asked, updated_at = now()
    where c.session_id in (${last?.session_id ?? session_id}, excluded.session_id)`;
  return replaced.count === 1;
}

/** Returns the page's current state with its subscription; null if it is gone. */
export async function retrievePage(
  stripe: Stripe,
  { session_id }: LastPage,
): Promise<Stripe.Checkout.Session | null> {
  return await stripe.checkout.sessions.retrieve(session_id, { expand: ["subscription"] }).catch(
    nullIfMissing,
  );
}

/** Ends a page, so that nobody pays on it any more. A page that has already ended is no failure. */
export async function closePage(stripe: Stripe, id: string): Promise<void> {
  try {
    await stripe.checkout.sessions.expire(id);
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error;
    const { status } = await stripe.checkout.sessions.retrieve(id);
    if (status !== "expired") throw error;
  }
}

export function digest(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex");
}
