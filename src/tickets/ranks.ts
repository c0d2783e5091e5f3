import { generateKeyBetween, generateNKeysBetween } from "fractional-indexing";

/** The longest key of a ticket. Cursors of lists hold one. */
export const MAX_RANK = 200;

/**
 * The lowest key that a ticket may get, because the next ticket has this key, and comes first. An
 * imported ticket may have a lower one.
 */
export function lowestRank(nextNumber: number, below: string | null): string | null {
  const rank = `R${String(999_999_999 - nextNumber).padStart(9, "0")}`;
  return below === null || rank < below ? rank : null;
}

/** Whether a text is a key, beside which others can be made. */
export function isRank(text: string): boolean {
  if (!/^[0-9A-Za-z]+$/.test(text)) return false;
  try {
    generateNKeysBetween(null, generateKeyBetween(text, null), 2);
    generateKeyBetween(null, text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns keys for tickets between two others. The key of one becomes longer than its neighbours' with
 * some of the placements, by one letter with six placements at one place.
 */
export function ranksBetween(before: string | null, after: string | null, count: number): string[] {
  return generateNKeysBetween(before, after, count);
}
