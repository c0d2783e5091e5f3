import { type Attempt, Client } from "./client.ts";
import { findWrites } from "./find.ts";
import { travel } from "./journey.ts";
import type { Entry, Ledger } from "./ledger.ts";
import { quantile } from "../numbers.ts";
import { until } from "./scenario.ts";
import type { Caller, Stage } from "./service.ts";

/** Ids of agents are unique in an installation, so the names of a load must be, too. */
let loads = 0;

/** Clients that send journeys until they are stopped. If the service is away, they wait for it. */
export class Load {
  readonly attempts: Attempt[] = [];
  readonly started = performance.now();
  readonly #ledger: Ledger;
  readonly #caller: Caller;
  readonly #running: Promise<void[]>;
  #stopped = false;

  constructor(ledger: Ledger, caller: Caller, label: string, clients = 16) {
    this.#ledger = ledger;
    this.#caller = caller;
    const name = `${label.replaceAll(" ", "-")}${++loads}`;
    this.#running = Promise.all(
      Array.from({ length: clients }, (_, n) => this.#run(new Client(this, ledger, caller), `${name}-${n}`)),
    );
  }

  get stopped(): boolean {
    return this.#stopped;
  }

  /** Lets every client finish its current request. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  /** Stops, and compares the ledger with the database. Returns the writes that were done in silence. */
  async settle(stage: Stage, caller: Caller = this.#caller): Promise<Entry[]> {
    await this.stop();
    return this.#ledger.settle(await findWrites(stage, caller));
  }

  /**
   * Waits until this number of further writes are acknowledged, and returns the seconds until then.
   */
  async underWay(writes = 50): Promise<number> {
    const before = this.acknowledged;
    return await until("the load is under way", 60, () => this.acknowledged >= before + writes);
  }

  get answered(): number {
    return this.attempts.filter(({ status }) => status > 0).length;
  }

  get acknowledged(): number {
    return this.attempts.length - this.failed.length;
  }

  get failed(): Attempt[] {
    return this.attempts.filter(({ status }) => status < 200 || status >= 300);
  }

  /** Calls without an answer, or with a failure of the service. */
  get harmed(): Attempt[] {
    return this.attempts.filter(({ status }) => status === 0 || status >= 500);
  }

  /** The number of answers with this status. */
  count(status: number): number {
    return this.attempts.filter((attempt) => attempt.status === status).length;
  }

  get longest(): number {
    return Math.max(...this.attempts.map(({ ms }) => ms));
  }

  get p99(): string {
    return `${quantile(this.attempts.map(({ ms }) => ms), 0.99).toFixed(0)} ms`;
  }

  async #run(client: Client, label: string): Promise<void> {
    for (let n = 0; !this.#stopped; n++) await travel(client, `${label}-${n}`);
  }
}
