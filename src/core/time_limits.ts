/** How long a call may take: above a statement's timeout, below the minute that proxies wait. */
export const CALL_MS = 30_000;

/** The same for a call that may wait up to 50 s for an event: still below the minute. */
export const WAITING_CALL_MS = 58_000;

/** One try of a provider: three are over before the call that waits for them is, which then says whose fault it was. */
export const PROVIDER_TRY_MS = 8_000;
