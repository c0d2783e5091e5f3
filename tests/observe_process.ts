/** The delay and the memory that other callers of this process would have noticed. */
export interface Strain {
  /** The longest time for which one thing blocked the event loop. */
  silentMs: number;
  /** The most bytes by which the process grew. */
  grownBytes: number;
}

const EVERY_MS = 5;

/**
 * Watches the event loop and the memory during `work`. Deno's `monitorEventLoopDelay` doesn't see a
 * long turn (2.9.6 reports 1 ms of 300), so a timer of this process measures its own delay.
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
