import Stripe from "stripe";
import { z } from "zod";
import type { Config } from "../core/config.ts";
import { AppError, invalidField } from "../core/errors.ts";
import { PROVIDER_TRY_MS } from "../core/time_limits.ts";
import type { HostedPage } from "./schema.ts";

/** @throws {AppError} not_configured */
export function openStripe({ STRIPE_SECRET_KEY: key, STRIPE_API_URL: url }: Config): Stripe {
  if (!key) throw new AppError("not_configured", "Billing is switched off: STRIPE_SECRET_KEY is not set");
  const { hostname, port, protocol } = new URL(url ?? "https://api.stripe.com");
  return new Stripe(key, {
    host: hostname,
    port: port || (protocol === "http:" ? 80 : 443),
    protocol: protocol === "http:" ? "http" : "https",
    httpClient: Stripe.createFetchHttpClient(fetchObject),
    timeout: PROVIDER_TRY_MS,
    // Each repeat carries the idempotency key of the first try.
    maxNetworkRetries: 2,
    telemetry: false,
  });
}

const StripeAnswer = z.looseObject({
  id: z.string(),
  url: z.string().nullish(),
  error: z.undefined().optional(),
});
const Refusal = z.looseObject({ error: z.looseObject({}).or(z.string()) });

/**
 * Rejects answers that aren't the provider's, such as a gateway's `"Forbidden"`. The package would
 * take such an answer for the wanted object, or would fail on it in a place where nobody catches
 * the error, which ends the process. Without its body such an answer looks like one that broke off,
 * which the package requests again.
 */
async function fetchObject(...request: Parameters<typeof fetch>): Promise<Response> {
  const response = await fetch(...request);
  const text = await response.text();
  const isProviders = (response.ok ? StripeAnswer : Refusal).safeParse(jsonOf(text)).success;
  return new Response(isProviders ? text : null, response);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Converts the provider's refusal into an AppError. `fields` maps each parameter to the caller's
 * field from which it was made.
 * @throws {AppError} invalid_request, conflict, not_configured, unavailable
 */
export async function askStripe<T>(fields: Record<string, string>, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError)) throw error;
    const field = error.param && fields[error.param];
    if (field) throw invalidField(field, error.message);
    if (isKeyRefused(error)) {
      throw new AppError("not_configured", "The payment provider refused STRIPE_SECRET_KEY", {
        cause: error,
      });
    }
    if (error instanceof Stripe.errors.StripeInvalidRequestError) {
      throw new AppError("conflict", `The payment provider refused this: ${error.message}`, { cause: error });
    }
    // The package has one message for every lost connection. The error's detail has the reason, but
    // doesn't name the provider.
    const cause = error instanceof Stripe.errors.StripeConnectionError
      ? new Error("The payment provider did not answer", { cause: error.detail })
      : error;
    throw new AppError("unavailable", "The payment provider could not do this at the moment", { cause });
  }
}

/** @throws {AppError} unavailable for a page without an address */
export function toHostedPage({ id, url }: { id: string; url: string | null }): HostedPage {
  if (!url) throw new AppError("unavailable", "The payment provider did not open a page");
  return { id, url };
}

/** Tells whether the key is unknown, revoked or restricted. The log has the provider's sentence. */
function isKeyRefused(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeAuthenticationError ||
    error instanceof Stripe.errors.StripePermissionError;
}

/**
 * Returns null for an object that was deleted, or belongs to another mode or account than the
 * secret key's.
 */
export function nullIfMissing(error: unknown): null {
  if (!isRefused(error, "resource_missing")) throw error;
  return null;
}

/**
 * Tells whether the provider refused with this code and, if one is named, because of this
 * parameter.
 */
export function isRefused(error: unknown, code: string, param?: string): boolean {
  return error instanceof Stripe.errors.StripeInvalidRequestError && error.code === code &&
    (param === undefined || error.param === param);
}
