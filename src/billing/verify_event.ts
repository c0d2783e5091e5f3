import Stripe from "stripe";
import { AppError } from "../core/errors.ts";

/** How far the time of a signature may be from ours, either way. */
const TOLERANCE_S = 300;

const provider = Stripe.createSubtleCryptoProvider();

/**
 * Checks a payment event's signature over the raw body by each of the secrets.
 * @throws {AppError} invalid_signature, as the 400 that this sender's contract names; invalid_request for a thin event
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
    // The signature is good; that the body is no JSON is said by whoever parses it.
    if (error instanceof SyntaxError) return true;
    throw new AppError("invalid_request", "This webhook does not take events of this kind", { cause: error });
  }
}

/** The package looks at signatures that are too old only; of several times it takes the last. */
function isFromTheFuture(signature: string): boolean {
  const time = Number([...signature.matchAll(/(?:^|,)\s*t=(\d+)/g)].at(-1)?.[1]);
  return time > Date.now() / 1000 + TOLERANCE_S;
}
