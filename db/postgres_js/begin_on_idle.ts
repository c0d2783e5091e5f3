/** A statement, which may share a connection, or a transaction, which needs an idle connection. */
interface Waiting {
  alone: boolean;
  /** The start goes before all waiting starts. */
  urgent?: boolean;
  start: () => void;
}

/**
 * A queue in front of the pool: first come, first served. postgres.js (3.4.9) also sends a `begin`
 * behind the statements of others, and forgets to reserve the connection if the `begin` is the
 * hundredth statement in that queue (porsager/postgres#1189). The transaction then stays open, the
 * statements of others run inside it, and their acknowledged writes are lost with it. This never
 * happens on an idle connection.
 */
export class Turns {
  readonly #connections: number;
  readonly #waiting: Waiting[] = [];
  #running = 0;
  #held = false;

  constructor(connections: number) {
    this.#connections = connections;
  }

  /**
   * Calls `start` now or later. `start` must send before its next await, and one `end()` must
   * follow each start.
   */
  wait(waiting: Waiting): void {
    if (waiting.urgent) this.#waiting.unshift(waiting);
    else this.#waiting.push(waiting);
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

  /** If fewer starts are running than there are connections, at least one connection is idle. */
  #mayStart({ alone }: Waiting): boolean {
    return !alone || this.#running < this.#connections;
  }

  /**
   * Starts nothing else for one microtask, because postgres.js sends a statement one microtask
   * after the call.
   */
  #holdUntilSent(): void {
    this.#held = true;
    queueMicrotask(() => {
      this.#held = false;
      this.#next();
    });
  }
}
