import type { Db } from "../../db/open.ts";
import { decrypt, encrypt } from "./encryption.ts";
import type { Secrets } from "./secrets.ts";

interface Sealed {
  table: string;
  key: string;
  columns: readonly string[];
  /** The encrypted text can be opened only at its place, which the key of its row names. */
  place: (key: string) => string;
  /** The form of texts that an earlier version stored as they are. */
  plain?: RegExp;
}

/**
 * Every column whose texts are encrypted with ENCRYPTION_KEY. A text can be sealed only for a
 * column of this table, so the job that moves all texts to a new key finds each of them.
 */
export const SEALED = {
  hostingToken: {
    table: "code_hosting_accounts",
    key: "user_id",
    columns: ["token"],
    place: (userId) => `code_hosting_accounts/${userId}`,
  },
  chatUrl: {
    table: "notification_settings",
    key: "user_id",
    columns: ["chat_url"],
    place: (userId) => `chat hook of ${userId}`,
  },
  inviteLink: {
    table: "messages",
    key: "id",
    columns: ["link"],
    place: (messageId) => `invitation of message ${messageId}`,
  },
  webhookSecret: {
    table: "outbound_endpoints",
    key: "id",
    columns: ["secret", "former_secret"],
    place: (endpointId) => `webhook ${endpointId}`,
  },
  webhookUrl: {
    table: "outbound_endpoints",
    key: "id",
    columns: ["url"],
    place: (endpointId) => `address of webhook ${endpointId}`,
    plain: /^https?:/i,
  },
} as const satisfies Record<string, Sealed>;

export type SealedKind = keyof typeof SEALED;

interface Keys {
  secrets: Secrets;
}

/** @param key the key of the row in which the text will be stored */
export function seal({ secrets }: Keys, kind: SealedKind, key: string, text: string): string {
  return encrypt(secrets.encryption, text, SEALED[kind].place(key));
}

/** @throws {UnreadableSecret} if no key opens it */
export function unseal({ secrets }: Keys, kind: SealedKind, key: string, sealed: string): string {
  return opened(secrets, kind, key, sealed).text;
}

function opened(secrets: Secrets, kind: SealedKind, key: string, sealed: string) {
  const { place, plain }: Sealed = SEALED[kind];
  if (plain?.test(sealed)) return { text: sealed, stale: true };
  return decrypt(secrets.encryption, sealed, place(key));
}

/**
 * Seals a stored text again under the newest key, unless the text has been replaced by another one.
 * @throws {UnreadableSecret} if no key opens it
 */
export async function renewSealed(
  { secrets, db }: Keys & { db: Db },
  kind: SealedKind,
  { key, column, sealed }: { key: string; column: string; sealed: string },
): Promise<void> {
  const { table, key: keyColumn, place } = SEALED[kind];
  const { text, stale } = opened(secrets, kind, key, sealed);
  if (!stale) return;
  await db`
    update ${db(table)} set ${db(column)} = ${encrypt(secrets.encryption, text, place(key))}
    where ${db(keyColumn)} = ${key}::uuid and ${db(column)} = ${sealed}`;
}
