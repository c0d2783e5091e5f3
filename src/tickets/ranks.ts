import { generateKeyBetween, generateNKeysBetween } from "fractional-indexing";

/** The longest key that a ticket may have. Lists have keys of this length in their cursors. */
export const MAX_RANK = 200;
/** A longer key is rebalanced by a job. Keys grow by one letter with each six drops at one place. */
export const LONG_RANK = 60;

/** The key of a ticket that nobody has placed, as the database makes it of the ticket's number. */
export function rankOfNumber(number: number): string {
  return `R${String(999_999_999 - number).padStart(9, "0")}`;
}

/** Whether another key can be made from this one. */
export function isRank(key: string): boolean {
  try {
    generateKeyBetween(key, null);
    generateKeyBetween(null, key);
    return true;
  } catch {
    return false;
  }
}

export function rankBetween(before: string | null, after: string | null): string {
  return generateKeyBetween(before, after);
}

/** Returns short keys for `count` tickets between two others. */
export function ranksBetween(before: string | null, after: string | null, count: number): string[] {
  return generateNKeysBetween(before, after, count);
}
