import { setTimeout as pause } from "node:timers/promises";

/**
 * Asks anew every 20 ms until there is an answer, and gives it. By default it gives up after a minute: a loaded machine is
 * slow. Only what is asked after that time counts as too late: an answer may itself be long on its way.
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
