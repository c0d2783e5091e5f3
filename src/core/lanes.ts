/** Does the pieces of work of each lane one after the other, in the order of their arrival. */
export class Lanes {
  readonly #last = new Map<string, Promise<void>>();

  async run<T>(lane: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(lane);
    const done = Promise.withResolvers<void>();
    this.#last.set(lane, done.promise);
    try {
      await before;
      return await work();
    } finally {
      done.resolve();
      if (this.#last.get(lane) === done.promise) this.#last.delete(lane);
    }
  }
}
