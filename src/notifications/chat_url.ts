import type { Context } from "../core/context.ts";
import { UnreadableSecret } from "../core/encryption.ts";
import { unseal } from "../core/sealed.ts";

/**
 * Also returns null if the encryption key no longer exists. Then the address has to be set again.
 */
export function chatUrlOf(ctx: Context, userId: string, sealed: string | null): string | null {
  if (sealed === null) return null;
  try {
    return unseal(ctx, "chatUrl", userId, sealed);
  } catch (error) {
    if (error instanceof UnreadableSecret) return null;
    throw error;
  }
}
