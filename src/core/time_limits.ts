/**
 * How long a call may take. This is longer than a statement's timeout and shorter than the minute
 * that proxies wait.
 */
export const CALL_MS = 30_000;

/** The time limit of a call that may wait up to 50 s for an event. It is still below the minute. */
export const WAITING_CALL_MS = 58_000;

/**
 * How long one request to a provider may take. Three tries end before the call that waits for them,
 * so the call can say whose fault the failure was.
 */
export const PROVIDER_TRY_MS = 8_000;
