import { isTimeout, isUnavailable } from "../../db/errors.ts";

interface Entry {
  item: unknown;
  resolve: (result: unknown) => void;
  reject: (error: unknown) => void;
}

type BatchWork = (items: unknown[]) => Promise<unknown[]>;

const MAX_ITEMS = 64;

/**
 * Group commit. All calls of a lane that arrive while the lane works are done together as its next
 * piece of work. If each call would otherwise wait for the same row lock until the commit of the
 * call before, sixteen simultaneous calls cost as much as two or three.
 */
export class Batches {
  readonly #waiting = new Map<string, Entry[]>();

  /**
   * Returns the result of `work` for `item`. `work` answers in the order of its items and changes
   * all or nothing. The `work` of the first waiting call serves all calls that wait in the lane, so
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

  async #drain(lane: string, work: BatchWork): Promise<void> {
    for (;;) {
      const entries = this.#waiting.get(lane)!.splice(0, MAX_ITEMS);
      if (entries.length === 0) break;
      await settle(entries, work);
    }
    this.#waiting.delete(lane);
  }
}

async function settle(entries: Entry[], work: BatchWork): Promise<void> {
  try {
    const results = await work(entries.map(({ item }) => item));
    entries.forEach(({ resolve }, index) => resolve(results[index]));
  } catch (error) {
    // The items are tried one by one, so that a bad item doesn't fail the others. They are not
    // tried again if the database is away or overloaded, because more statements would not help.
    // After a lost connection they are not tried again either, because the statement may have been
    // executed.
    if (entries.length === 1 || isUnavailable(error) || isTimeout(error)) {
      return entries.forEach(({ reject }) => reject(error));
    }
    for (const entry of entries) await settle([entry], work);
  }
}
