import { setTimeout as pause } from "node:timers/promises";

/**
 * Probes every 20 ms until there is an answer, and returns it. By default it gives up after a
 * minute, because a loaded machine is slow. Only a probe that starts after that time counts as too
 * late, because an answer may take long.
 */
export async function until<T>(
  probe: () => T | undefined | false | Promise<T | undefined | false>,
  seconds = 60,
): Promise<T> {
  const deadline = Date.now() + seconds * 1000;
  for (;;) {
    const late = Date.now() > deadline;
    const found = await probe();
    if (found) return found;
    if (late) throw new Error(`Not true within ${seconds} s: ${probe}`);
    await pause(20);
  }
}
