import { randomBytes } from "node:crypto";
import type { Services } from "../core/context.ts";
import { UnreadableSecret } from "../core/encryption.ts";
import { unseal } from "../core/sealed.ts";

/** How long a former secret signs together with its successor. */
export const OVERLAP_HOURS = 24;

/** Returns a new secret in the form of Standard Webhooks. */
export function newSecret(): string {
  return `whsec_${randomBytes(32).toString("base64")}`;
}

/** The whole address of an endpoint; null if its encryption key no longer exists. */
export function readableUrl(
  ctx: Pick<Services, "secrets">,
  { id, url }: { id: string; url: string },
): string | null {
  try {
    return unseal(ctx, "webhookUrl", id, url);
  } catch (error) {
    if (error instanceof UnreadableSecret) return null;
    throw error;
  }
}

/** The secrets that sign, without secrets whose encryption key no longer exists. */
export function readableSecrets(
  ctx: Pick<Services, "secrets">,
  { id, secret, former_secret }: { id: string; secret: string; former_secret: string | null },
): string[] {
  return [secret, former_secret].flatMap((sealed) => {
    try {
      return sealed === null ? [] : [unseal(ctx, "webhookSecret", id, sealed)];
    } catch (error) {
      if (error instanceof UnreadableSecret) return [];
      throw error;
    }
  });
}
