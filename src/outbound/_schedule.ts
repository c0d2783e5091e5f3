/** Seconds from each failed try to the next one, after Standard Webhooks. */
const PAUSES = [5, 5 * 60, 30 * 60, 2 * 3600, 5 * 3600, 10 * 3600, 14 * 3600, 20 * 3600, 24 * 3600];
/** The longest time for which a receiver may ask to be left alone. */
export const LONGEST_S = 24 * 3600;

/**
 * Returns the seconds until the next try after `attempts` failed ones; null if there is none. The
 * try is up to a tenth later than planned, so that deliveries that failed together don't come back
 * together.
 * @param retryAfter the seconds that the receiver asked for
 */
export function pauseAfter(
  attempts: number,
  retryAfter: number | null,
  chance = Math.random(),
): number | null {
  const planned = PAUSES[attempts - 1];
  if (planned === undefined) return null;
  return Math.max(planned * (1 + chance / 10), Math.min(retryAfter ?? 0, LONGEST_S));
}

/** An endpoint is switched off after this many days with nothing but failures. */
export const GIVE_UP_DAYS = 5;
