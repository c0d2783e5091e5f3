import type { Feed } from "../core/feed.ts";
import type { Waiting } from "../mcp/tool.ts";

/**
 * Clients measure the time since the last sign of progress. The most impatient clients give up
 * after 60 s.
 */
const PROGRESS_SECONDS = 15;
/** This is less than the 60 s after which a client without any sign gives up. */
const SILENT_SECONDS = 45;

/** The waiting agent, as seen on its connection. */
export interface Waiter {
  /** Aborts when the agent has gone or the service drains. */
  signal: AbortSignal;
  /** Tells the agent that the call goes on. Null if the agent did not ask for signs of progress. */
  tellProgress: (() => Promise<void>) | null;
  /**
   * Makes sure that the credential is still valid, because it may have been revoked during the
   * wait.
   */
  checkCredential: () => Promise<void>;
}

/**
 * Reads again after each event until the result is there. Between two events the wait sends no
 * statement and holds no connection.
 */
export async function readUntilDone<State>(
  feed: Feed,
  { seconds, matches, read, isDone }: Waiting<State>,
  { signal, tellProgress, checkCredential }: Waiter,
): Promise<State> {
  const end = performance.now() + Math.min(seconds, tellProgress ? seconds : SILENT_SECONDS) * 1000;
  // The watch begins before the first read, so that no event between the two is missed.
  using watch = feed.watch(matches);
  let state = await read();
  while (!isDone(state) && !signal.aborted) {
    const left = (end - performance.now()) / 1000;
    if (left <= 0) break;
    if (await watch.next({ seconds: Math.min(left, PROGRESS_SECONDS), signal })) {
      // A service that drains may have closed its database before the event came.
      if (signal.aborted) break;
      await checkCredential();
      state = await read();
    } else if (left > PROGRESS_SECONDS) await tellProgress?.();
  }
  return state;
}
