interface Lane {
  running: number;
  waiting: (() => void)[];
}

/** Does at most so many pieces of work of each lane at once, in the order of their arrival. */
export class Lanes {
  readonly #most: number;
  readonly #lanes = new Map<string, Lane>();

  constructor(most = 1) {
    this.#most = most;
  }

  async run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const lane = this.#lanes.get(name) ?? { running: 0, waiting: [] };
    this.#lanes.set(name, lane);
    if (lane.running === this.#most) await new Promise<void>((start) => lane.waiting.push(start));
    else lane.running++;
    try {
      return await work();
    } finally {
      const next = lane.waiting.shift();
      if (next) next();
      else if (--lane.running === 0) this.#lanes.delete(name);
    }
  }
}
