import type { SuggestionKind } from "../suggestions/schema.ts";

/** A finding of the analyzer, which it would suggest. */
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

/** Rounds to four digits, which are enough to sort by and to read. */
export function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}

/** Joins items: `a`, `a and b`, `a, b and c`. */
export function listed(items: readonly string[]): string {
  return items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;
}
