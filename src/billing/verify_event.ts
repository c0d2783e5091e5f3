import Stripe from "stripe";
import { AppError } from "../core/errors.ts";

/** How far the time of a signature may be from ours, either way. */
const TOLERANCE_S = 300;

const provider = Stripe.createSubtleCryptoProvider();
/** What `constructEventAsync` asks first; that one then refuses thin events. */
const signatures = Stripe.webhooks.signature!;

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
    return await signatures.verifyHeaderAsync(body, signature, secret, TOLERANCE_S, provider);
  } catch (error) {
    if (error instanceof Stripe.errors.StripeSignatureVerificationError) return false;
    throw error;
  }
}

/** The package looks at signatures that are too old only; of several times it takes the last. */
function isFromTheFuture(signature: string): boolean {
  const time = Number([...signature.matchAll(/(?:^|,)\s*t=(\d+)/g)].at(-1)?.[1]);
  return time > Date.now() / 1000 + TOLERANCE_S;
}
