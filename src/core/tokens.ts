import { createHash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";
import { errors, jwtVerify, SignJWT } from "jose";
import { z } from "zod";
import { AppError } from "./errors.ts";
import { Id } from "./schema.ts";
import type { Secrets } from "./secrets.ts";

export const ACCESS_TOKEN_SECONDS = 900;

/** Makes a JWT for one session of a user, signed with the newest key. */
export function signAccessToken(
  secrets: Secrets,
  userId: string,
  sessionId: string,
  seconds = ACCESS_TOKEN_SECONDS,
): Promise<string> {
  const [key] = secrets.auth;
  return new SignJWT({ sid: sessionId }).setProtectedHeader({ alg: "HS256", kid: key.id }).setSubject(userId)
    .setIssuedAt().setExpirationTime(`${seconds}s`).sign(key.bytes);
}

const Claims = z.object({ sub: Id, sid: Id, iat: z.number(), exp: z.number() });

interface AccessToken {
  userId: string;
  sessionId: string;
  /** Epoch seconds. */
  expiresAt: number;
}

/** A token that was changed after signing, or that no key of this installation has signed. */
export class UnknownToken extends AppError {
  constructor() {
    super("unauthenticated", "The access token is invalid");
  }
}

/**
 * @throws {AppError} token_expired
 * @throws {UnknownToken} for any other fault of the token, including a time in the future
 */
export async function verifyAccessToken(secrets: Secrets, token: string): Promise<AccessToken> {
  try {
    const { payload } = await jwtVerify(token, (header) => {
      const key = secrets.auth.find(({ id }) => id === header.kid);
      if (!key) throw new errors.JWKSNoMatchingKey();
      return key.bytes;
    }, { algorithms: ["HS256"] });
    const claims = Claims.safeParse(payload);
    if (!claims.success) throw new errors.JWTClaimValidationFailed("unexpected claims", payload);
    const { sub, sid, iat, exp } = claims.data;
    // Only machines of this installation issue tokens, so one minute is enough for the difference
    // of their clocks.
    if (iat > Date.now() / 1000 + 60) throw new errors.JWTClaimValidationFailed("iat", payload);
    return { userId: sub, sessionId: sid, expiresAt: exp };
  } catch (error) {
    if (error instanceof errors.JWTExpired) throw new AppError("token_expired");
    if (error instanceof errors.JOSEError) throw new UnknownToken();
    throw error;
  }
}

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

function randomBase62(length: number): string {
  let text = "";
  while (text.length < length) {
    // 248 is the largest multiple of 62 in a byte. Larger bytes would favour the first letters.
    for (const byte of randomBytes(length)) {
      if (byte < 248 && text.length < length) text += ALPHABET[byte % 62];
    }
  }
  return text;
}

function checksum(text: string): string {
  let rest = crc32(text);
  let out = "";
  for (let i = 0; i < 6; i++, rest = Math.floor(rest / 62)) out = ALPHABET[rest % 62] + out;
  return out;
}

/**
 * Makes a new API key, `hk_<public id>_<secret><checksum>`, and the prefix by which people know it.
 */
export function newApiKey(): { key: string; prefix: string } {
  const prefix = `hk_${randomBase62(8)}`;
  const body = `${prefix}_${randomBase62(32)}`;
  return { key: body + checksum(body), prefix };
}

export function isApiKey(credential: string): boolean {
  return /^hk_[0-9A-Za-z]{8}_[0-9A-Za-z]{38}$/.test(credential) &&
    checksum(credential.slice(0, -6)) === credential.slice(-6);
}

/** Makes an opaque token of 256 bits. */
export function newOpaqueToken(): string {
  return randomBytes(32).toString("base64url");
}

/** Hashes a key or an opaque token for storage. They are random, so one SHA-256 is enough. */
export function hashToken(token: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(createHash("sha256").update(token).digest());
}
