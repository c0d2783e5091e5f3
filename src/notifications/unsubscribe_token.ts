import { createHmac, timingSafeEqual } from "node:crypto";
import type { Context } from "../core/context.ts";
import { Id } from "../core/schema.ts";

/** Ends a user's mails without a sign-in; nobody can make it up. It holds as long as the secret that signed it does. */
export function makeUnsubscribeToken({ secrets }: Context, userId: string): string {
  return `${userId}.${sign(secrets.auth[0].bytes, userId)}`;
}

/** The user, or null for a token that was made up. */
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
