import type { Feed } from "../core/feed.ts";
import type { Waiting } from "../mcp/tool.ts";

/** Clients count the time since the last sign: the shortest of them give up after 60 s. */
const PROGRESS_SECONDS = 15;
/** This is less than the 60 s after which a client that hears nothing gives up. */
const SILENT_SECONDS = 45;

/** The agent that waits, as its connection shows it. */
export interface Waiter {
  /** Aborts when the agent has gone or the service drains. */
  signal: AbortSignal;
  /** Tells the agent that the call goes on; null where it did not ask to be told. */
  tellProgress: (() => Promise<void>) | null;
  /**
   * Makes sure that the credential is still good, because it may have been revoked during the wait.
   */
  checkCredential: () => Promise<void>;
}

/** Reads until it is done. While nothing happens it sends no statement and holds no connection. */
export async function readUntilDone<State>(
  feed: Feed,
  { seconds, matches, read, isDone }: Waiting<State>,
  { signal, tellProgress, checkCredential }: Waiter,
): Promise<State> {
  const end = performance.now() + Math.min(seconds, tellProgress ? seconds : SILENT_SECONDS) * 1000;
  // Watched before it is read, so that nothing is missed between.
  using watch = feed.watch(matches);
  let state = await read();
  while (!isDone(state) && !signal.aborted) {
    const left = (end - performance.now()) / 1000;
    if (left <= 0) break;
    if (await watch.next({ seconds: Math.min(left, PROGRESS_SECONDS), signal })) {
      await checkCredential();
      state = await read();
    } else if (left > PROGRESS_SECONDS) await tellProgress?.();
  }
  return state;
}
