const LEAST_ROUNDS = 10;
const MOST_ROUNDS = 300;

/**
 * Returns the best time of each work. The works run in turns. Other work on the machine only ever
 * adds to a time, so the best of many comes close to the cost of the work itself. It goes on until
 * `enough` says so, or for a great number of rounds.
 */
export async function bestTimes(
  works: readonly ((round: number) => Promise<unknown>)[],
  enough: (best: number[]) => boolean,
): Promise<number[]> {
  const best = works.map(() => Infinity);
  for (let round = 0; round < MOST_ROUNDS && (round < LEAST_ROUNDS || !enough(best)); round++) {
    for (const [index, work] of works.entries()) {
      const started = performance.now();
      await work(round);
      best[index] = Math.min(best[index]!, performance.now() - started);
    }
  }
  return best;
}
