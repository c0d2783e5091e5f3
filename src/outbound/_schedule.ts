/** Seconds from each failed try to the next one, after Standard Webhooks. */
const PAUSES = [5, 5 * 60, 30 * 60, 2 * 3600, 5 * 3600, 10 * 3600, 14 * 3600, 20 * 3600, 24 * 3600];
const LONGEST_S = 24 * 3600;

/**
 * Seconds until the next try after `attempts` that failed, up to a tenth later than planned, so that what failed together
 * doesn't come back together; null when there is none.
 * @param retryAfter what the receiver asked for, in seconds
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

/** How many days of nothing but failures switch an endpoint off. */
export const GIVE_UP_DAYS = 5;
