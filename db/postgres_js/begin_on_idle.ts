/** Who waits: a statement, which may share a connection, or a transaction, which needs one that is idle. */
interface Waiting {
  alone: boolean;
  start: () => void;
}

/**
 * First come, first served, at the pool's door. postgres.js (3.4.9) also sends a `begin` behind the statements of
 * others, and forgets to reserve the connection when it is the hundredth (porsager/postgres#1189): the transaction stays
 * open, the statements of others run inside it, and what was acknowledged is lost with it. On an idle one it never does.
 */
export class Turns {
  readonly #connections: number;
  readonly #waiting: Waiting[] = [];
  #running = 0;
  #held = false;

  constructor(connections: number) {
    this.#connections = connections;
  }

  /** Calls `start`, which sends before its next await, at once or later; each start is followed by one `end()`. */
  wait(waiting: Waiting): void {
    this.#waiting.push(waiting);
    this.#next();
  }

  end(): void {
    this.#running--;
    this.#next();
  }

  #next(): void {
    while (!this.#held && this.#waiting[0] && this.#mayStart(this.#waiting[0])) {
      const { alone, start } = this.#waiting.shift()!;
      this.#running++;
      start();
      if (alone) this.#holdUntilSent();
    }
  }

  /** Where fewer are running than there are connections, one of these at least is idle. */
  #mayStart({ alone }: Waiting): boolean {
    return !alone || this.#running < this.#connections;
  }

  /** postgres.js sends one microtask after it is asked to: nothing must get in between. */
  #holdUntilSent(): void {
    this.#held = true;
    queueMicrotask(() => {
      this.#held = false;
      this.#next();
    });
  }
}
