import { createHash } from "node:crypto";
import type { SuggestionKind } from "./schema.ts";

/** Identifies a finding by its facts, so that the same facts give the same suggestion again. */
export function fingerprintOf(kind: SuggestionKind, ...facts: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify([kind, ...facts])).digest("hex").slice(0, 32);
}

/** The fingerprint of two duplicates, the same for either order; their texts are the facts. */
export function fingerprintOfPair(...pair: readonly { id: string; digest: string }[]): string {
  const facts = pair.toSorted((x, y) => x.id < y.id ? -1 : 1).flatMap(({ id, digest }) => [id, digest]);
  return fingerprintOf("duplicate", ...facts);
}

/** Digest of a title and a description, joined by a newline. */
export function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 22);
}
