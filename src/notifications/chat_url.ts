import type { Context } from "../core/context.ts";
import { decrypt, encrypt, UnreadableSecret } from "../core/encryption.ts";

/** Returns null also if the encryption key is gone, so that the address has to be set again. */
export function chatUrlOf({ secrets }: Context, userId: string, sealed: string | null): string | null {
  if (sealed === null) return null;
  try {
    return decrypt(secrets.encryption, sealed, placeOf(userId)).text;
  } catch (error) {
    if (error instanceof UnreadableSecret) return null;
    throw error;
  }
}

export function sealChatUrl({ secrets }: Context, userId: string, url: string): string {
  return encrypt(secrets.encryption, url, placeOf(userId));
}

function placeOf(userId: string): string {
  return `chat hook of ${userId}`;
}
