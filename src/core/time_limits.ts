/**
 * How long a call may take. It is above a statement's timeout and below the minute that proxies
 * wait.
 */
export const CALL_MS = 30_000;

/** The same for a call that may wait up to 50 s for an event. It is still below the minute. */
export const WAITING_CALL_MS = 58_000;

/**
 * How long one try of a provider may take. Three tries are over before the waiting call is, so the
 * call can say whose fault it was.
 */
export const PROVIDER_TRY_MS = 8_000;
