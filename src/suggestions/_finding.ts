import { createHash } from "node:crypto";
import type { SuggestionKind } from "./schema.ts";

/** What the analyzer found and would suggest. */
export interface Finding {
  kind: SuggestionKind;
  ticket_id: string;
  other_ticket_id?: string;
  title: string;
  rationale: string;
  confidence: number;
  evidence: Record<string, unknown>;
  fingerprint: string;
}

/** Names the facts of a finding: found again in the same facts, it is the same one. */
export function fingerprintOf(kind: SuggestionKind, ...facts: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify([kind, ...facts])).digest("hex").slice(0, 32);
}

/** Of a pair, in whichever order: their texts are the facts. */
export function fingerprintOfPair(...pair: readonly { id: string; digest: string }[]): string {
  const facts = pair.toSorted((x, y) => x.id < y.id ? -1 : 1).flatMap(({ id, digest }) => [id, digest]);
  return fingerprintOf("duplicate", ...facts);
}

/** Four digits are enough to sort by, and to read. */
export function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}

/** `a`, `a and b`, `a, b and c`. */
export function listed(items: readonly string[]): string {
  return items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;
}

export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
