import { rounded } from "./_finding.ts";
import type { Rarity } from "./_rarity.ts";
import type { Terms } from "./_terms.ts";

export interface Likeness {
  /** 0 to 1. */
  score: number;
  /**
   * The share of each title's words, weighted by rarity, that the other ticket also has; the mean
   * of both.
   */
  word_overlap: number;
  shared_words: string[];
  shared_identifiers: string[];
}

/** The bonus for a shared name that hardly any other ticket has. */
const IDENTIFIER_WEIGHT = 0.15;
const MOST_SHOWN = 8;

/**
 * Tells how surely two tickets are the same: half by meaning (the embeddings' cosine), half by
 * words. Measured on 2,282 bug reports with 58 labelled pairs (`npm run bench -- suggestions`):
 * from 0.5 on it suggests 43 of them among 2,967 pairs, and a cosine of 0.65 alone gives 40 among
 * 4,645. Both figures stay better than the figures of the cosine alone for thresholds from 0.48 to
 * 0.54, weights of 0.4 to 0.6 and samples of 300 to 2,000 tickets.
 */
export function likenessOf(
  a: Terms,
  b: Terms,
  cosine: number,
  { words, identifiers }: { words: Rarity; identifiers: Rarity },
): Likeness {
  const overlap = (share(a.title, b.all, words) + share(b.title, a.all, words)) / 2;
  const shared = rarest(common(a.identifiers, b.identifiers), identifiers);
  const identity = shared.length > 0 ? identifiers.of(shared[0]!) : 0;
  const titleWords = new Set([...common(a.title.keys(), b.all), ...common(b.title.keys(), a.all)]);
  return {
    score: Math.min(1, Math.max(0, 0.5 * cosine + 0.5 * overlap + IDENTIFIER_WEIGHT * identity)),
    word_overlap: rounded(overlap),
    shared_words: rarest([...titleWords], words).slice(0, MOST_SHOWN).map((word) =>
      a.title.get(word) ?? b.title.get(word)!
    ),
    shared_identifiers: shared.slice(0, MOST_SHOWN),
  };
}

function share(title: ReadonlyMap<string, string>, other: ReadonlySet<string>, rarity: Rarity): number {
  const whole = rarity.sum(title.keys());
  return whole > 0 ? rarity.sum(common(title.keys(), other)) / whole : 0;
}

function common(a: Iterable<string>, b: ReadonlySet<string>): string[] {
  return [...a].filter((term) => b.has(term));
}

function rarest(terms: string[], rarity: Rarity): string[] {
  return terms.toSorted((a, b) => rarity.of(b) - rarity.of(a) || (a < b ? -1 : 1));
}
