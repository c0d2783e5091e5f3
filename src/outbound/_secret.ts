import { randomBytes } from "node:crypto";
import type { Context } from "../core/context.ts";
import { decrypt, encrypt } from "../core/encryption.ts";

/** How long a former secret signs together with its successor. */
export const OVERLAP_HOURS = 24;

/** Returns a new secret in the form of Standard Webhooks. */
export function newSecret(): string {
  return `whsec_${randomBytes(32).toString("base64")}`;
}

export function sealSecret({ secrets }: Context, endpointId: string, secret: string): string {
  return encrypt(secrets.encryption, secret, `webhook ${endpointId}`);
}

/** @throws {UnreadableSecret} */
export function openSecret({ secrets }: Context, endpointId: string, sealed: string): string {
  return decrypt(secrets.encryption, sealed, `webhook ${endpointId}`).text;
}
