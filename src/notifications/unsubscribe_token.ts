import { createHmac, timingSafeEqual } from "node:crypto";
import type { Context } from "../core/context.ts";
import { Id } from "../core/schema.ts";

/**
 * Makes a token that ends a user's mails without a sign-in. Nobody can forge the token. It is valid
 * as long as the secret with which it was signed.
 */
export function makeUnsubscribeToken({ secrets }: Context, userId: string): string {
  return `${userId}.${sign(secrets.auth[0].bytes, userId)}`;
}

/** Returns the user; null for a forged token. */
export function readUnsubscribeToken({ secrets }: Context, token: string): string | null {
  const [userId = "", signature = ""] = token.split(".");
  if (!Id.safeParse(userId).success) return null;
  const given = Buffer.from(signature);
  const isRight = secrets.auth.some(({ bytes }) => {
    const right = Buffer.from(sign(bytes, userId));
    return given.length === right.length && timingSafeEqual(given, right);
  });
  return isRight ? userId : null;
}

function sign(key: Uint8Array, userId: string): string {
  return createHmac("sha256", key).update(`unsubscribe ${userId}`).digest("base64url");
}
