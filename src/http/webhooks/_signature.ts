import { createHash, createHmac, timingSafeEqual } from "node:crypto";

/**
 * Tells whether `header` is `sha256=<hex HMAC-SHA256 of the body>` by one of the secrets. Every
 * secret is tried and compared in constant time, no matter what the header contains.
 */
export function isSigned(body: Uint8Array, header: string | null, secrets: readonly string[]): boolean {
  const given = /^sha256=([0-9a-f]{64})$/i.exec(header ?? "")?.[1] ?? "";
  const signature = Buffer.from(given.padEnd(64, "0"), "hex");
  const matches = secrets.filter((secret) =>
    timingSafeEqual(createHmac("sha256", secret).update(body).digest(), signature)
  );
  return given !== "" && matches.length > 0;
}

/**
 * Tells whether `given` is one of the secrets. Digests are compared, so that not even a secret's
 * length can be found out.
 */
export function isSecret(given: string | null, secrets: readonly string[]): boolean {
  const digest = sha256(given ?? "");
  const matches = secrets.filter((secret) => timingSafeEqual(sha256(secret), digest));
  return given !== null && matches.length > 0;
}

function sha256(text: string): Uint8Array {
  return createHash("sha256").update(text).digest();
}
