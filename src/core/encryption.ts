import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto";
import type { Key } from "./secrets.ts";

const CIPHER = "aes-256-gcm";
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * A stored secret that cannot be read any more, because its key no longer exists or another text
 * was stored in its place.
 */
export class UnreadableSecret extends Error {
  override name = "UnreadableSecret";
}

/**
 * Encrypts under the newest key: `v1.<key id>.<iv, tag and ciphertext>`.
 * @param place where the text is stored, such as a row's id; the text can be decrypted for this
 * place only
 */
export function encrypt(keys: readonly [Key, ...Key[]], text: string, place: string): string {
  const [key] = keys;
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, key.bytes, iv, { authTagLength: TAG_BYTES }).setAAD(
    Buffer.from(place),
  );
  const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return `v1.${key.id}.${Buffer.concat([iv, cipher.getAuthTag(), body]).toString("base64url")}`;
}

/**
 * @returns the text, and whether an older key encrypted it, so that the caller stores it again
 * @throws {UnreadableSecret}
 */
export function decrypt(
  keys: readonly Key[],
  sealed: string,
  place: string,
): { text: string; stale: boolean } {
  const [version, keyId, data = ""] = sealed.split(".");
  const key = keys.find(({ id }) => id === keyId);
  if (version !== "v1" || !key) throw new UnreadableSecret(`no key ${keyId} to decrypt with`);
  const bytes = Buffer.from(data, "base64url");
  const [iv, tag] = [bytes.subarray(0, IV_BYTES), bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES)];
  try {
    const decipher = createDecipheriv(CIPHER, key.bytes, iv, { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(place)).setAuthTag(tag);
    const text = decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES), undefined, "utf8") +
      decipher.final("utf8");
    return { text, stale: key !== keys[0] };
  } catch (error) {
    throw new UnreadableSecret("the ciphertext is damaged or belongs to another place", { cause: error });
  }
}

/**
 * Makes a fingerprint of a secret. It shows whether the secret has changed, without storing the
 * secret.
 */
export function fingerprint(key: Key, secret: string): string {
  return `${key.id}.${createHmac("sha256", key.bytes).update(secret).digest("base64url")}`;
}
