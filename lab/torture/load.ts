import { type Attempt, Client } from "./client.ts";
import { travel } from "./journey.ts";
import type { Ledger } from "./ledger.ts";
import type { Caller } from "./service.ts";

/** Ids of agents are unique in an installation, so the names of a load must be, too. */
let loads = 0;

/** Clients that send journeys until they are told to stop. They wait for a service that is away. */
export class Load {
  readonly attempts: Attempt[] = [];
  readonly started = performance.now();
  readonly #running: Promise<void[]>;
  #stopped = false;

  constructor(ledger: Ledger, caller: Caller, label: string, clients = 16) {
    const name = `${label}${++loads}`;
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

  get answered(): number {
    return this.attempts.filter(({ status }) => status > 0).length;
  }

  get acknowledged(): number {
    return this.attempts.filter(({ status }) => status >= 200 && status < 300).length;
  }

  async #run(client: Client, label: string): Promise<void> {
    for (let n = 0; !this.#stopped; n++) await travel(client, `${label}-${n}`);
  }
}
