import Stripe from "stripe";
import { AppError } from "../core/errors.ts";

/** How far the time of a signature may be from our clock, in either direction. */
const TOLERANCE_S = 300;

const provider = Stripe.createSubtleCryptoProvider();

/**
 * Checks a payment event's signature over the raw body by each of the secrets.
 * @throws {AppError} invalid_signature, as the 400 that this sender's contract names
 */
export async function verifyPaymentEvent(
  body: Uint8Array,
  signature: string | null,
  secrets: readonly string[],
): Promise<void> {
  const checks = await Promise.all(secrets.map((secret) => isSignedBy(body, signature ?? "", secret)));
  if (!checks.includes(true) || isFromTheFuture(signature ?? "")) {
    throw new AppError("invalid_signature_payload");
  }
}

async function isSignedBy(body: Uint8Array, signature: string, secret: string): Promise<boolean> {
  try {
    await Stripe.webhooks.constructEventAsync(body, signature, secret, TOLERANCE_S, provider);
    return true;
  } catch (error) {
    if (error instanceof Stripe.errors.StripeSignatureVerificationError) return false;
    // The package's call would also refuse thin events and bodies that are no JSON. The parser
    // reports both, so only the signature is checked here.
    return await Stripe.webhooks.signature!.verifyHeaderAsync(body, signature, secret, TOLERANCE_S, provider);
  }
}

/**
 * Tells whether the signature's time is in the future, because the package rejects only old
 * signatures. It uses the last of several times.
 */
function isFromTheFuture(signature: string): boolean {
  const time = Number([...signature.matchAll(/(?:^|,)\s*t=(\d+)/g)].at(-1)?.[1]);
  return time > Date.now() / 1000 + TOLERANCE_S;
}
