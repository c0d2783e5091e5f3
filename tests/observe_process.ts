/** What other callers of this process would have felt. */
export interface Strain {
  /** The longest time in which the event loop did one thing. */
  silentMs: number;
  /** By how much the process grew at most. */
  grownBytes: number;
}

const EVERY_MS = 5;

/**
 * Watches the event loop and the memory while `work` is done. Deno's `monitorEventLoopDelay` sees no turn that is long
 * (2.9.6 tells 1 ms of 300), so a timer of this process counts how late it is.
 */
export async function strainOf<T>(work: () => Promise<T>): Promise<Strain & { result: T }> {
  const before = Deno.memoryUsage().rss;
  let [last, silentMs, most] = [performance.now(), 0, before];
  const look = () => {
    const now = performance.now();
    silentMs = Math.max(silentMs, now - last - EVERY_MS);
    last = now;
    most = Math.max(most, Deno.memoryUsage().rss);
  };
  const timer = setInterval(look, EVERY_MS);
  try {
    const result = await work();
    look();
    return { result, silentMs, grownBytes: most - before };
  } finally {
    clearInterval(timer);
  }
}
