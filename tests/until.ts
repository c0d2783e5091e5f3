import { setTimeout as pause } from "node:timers/promises";

/** Asks anew every 20 ms until there is an answer, and gives it. By default it gives up after a minute: a loaded machine is slow. */
export async function until<T>(
  probe: () => T | undefined | false | Promise<T | undefined | false>,
  seconds = 60,
): Promise<T> {
  const deadline = Date.now() + seconds * 1000;
  for (;;) {
    const found = await probe();
    if (found) return found;
    if (Date.now() > deadline) throw new Error(`Not true within ${seconds} s: ${probe}`);
    await pause(20);
  }
}
