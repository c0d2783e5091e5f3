import { isTimeout, isUnavailable } from "../../db/errors.ts";

interface Entry {
  item: unknown;
  resolve: (result: unknown) => void;
  reject: (error: unknown) => void;
}

type Work = (items: unknown[]) => Promise<unknown[]>;

const MAX_ITEMS = 64;

/**
 * Group commit. Calls of one lane that come while another is under way go together as the next one.
 * Where each call would wait for the same row lock until its predecessor's commit, sixteen calls at
 * once cost what two or three do.
 */
export class Batches {
  readonly #waiting = new Map<string, Entry[]>();

  /**
   * Answers the result of `work` for `item`. `work` answers in the order of its items and changes
   * all or nothing. The first waiting call's `work` serves all the calls that wait in its lane, so
   * it may depend on nothing but the lane. An idle lane starts at once.
   */
  join<Item, Result>(
    lane: string,
    item: Item,
    work: (items: Item[]) => Promise<Result[]>,
  ): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      const entry: Entry = { item, resolve: (result) => resolve(result as Result), reject };
      const waiting = this.#waiting.get(lane);
      if (waiting) return void waiting.push(entry);
      this.#waiting.set(lane, [entry]);
      this.#drain(lane, (items) => work(items as Item[])).catch(reject);
    });
  }

  async #drain(lane: string, work: Work): Promise<void> {
    for (;;) {
      const entries = this.#waiting.get(lane)!.splice(0, MAX_ITEMS);
      if (entries.length === 0) break;
      await settle(entries, work);
    }
    this.#waiting.delete(lane);
  }
}

async function settle(entries: Entry[], work: Work): Promise<void> {
  try {
    const results = await work(entries.map(({ item }) => item));
    entries.forEach(({ resolve }, index) => resolve(results[index]));
  } catch (error) {
    // One bad item must not fail the others. When the database is away or overloaded, more
    // statements would not help, and statements sent before a lost connection may have been
    // executed.
    if (entries.length === 1 || isUnavailable(error) || isTimeout(error)) {
      return entries.forEach(({ reject }) => reject(error));
    }
    for (const entry of entries) await settle([entry], work);
  }
}
