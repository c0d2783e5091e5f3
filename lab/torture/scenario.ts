import { setTimeout as pause } from "node:timers/promises";
import { Ledger } from "./ledger.ts";

/** The options of the command line. */
export interface Options {
  rounds: number;
  /** The length of a round of `mixed`, and the random choices of its first one. */
  seconds: number;
  seed: number;
  /** Shell commands that stop the PostgreSQL server hard and start it again. */
  stopCommand: string | undefined;
  startCommand: string | undefined;
  say(text: string): void;
}

export interface Scenario {
  name: string;
  summary: string;
  /** The database, when the scenario brings its own. */
  database?: string;
  /** The scenario's own number of rounds. */
  rounds: number;
  run(books: Books, options: Options): Promise<void>;
}

/** A scenario throws it first of all where this machine lacks a thing that it needs. */
export class NotTried extends Error {}

/** The result of a scenario on one database. It failed if there are `problems`. */
export class Books {
  readonly ledger = new Ledger();
  readonly #failures: string[] = [];

  /** Notes a problem without ending the scenario. */
  expect(holds: boolean, otherwise: string): void {
    if (!holds) this.#failures.push(otherwise);
  }

  /** Notes a problem if the list isn't empty, with its first item. */
  expectNone(list: readonly unknown[], what: string): void {
    this.expect(list.length === 0, `${list.length} ${what}: ${JSON.stringify(list[0])}`);
  }

  get problems(): string[] {
    return [...this.#failures, ...this.ledger.problems];
  }
}

/** A part of a scenario, with a service of its own. It returns its observations for the reader. */
export type Part = (books: Books) => Promise<string>;

/** Runs the parts in each round, one after the other. */
export function inParts(parts: readonly Part[]): Scenario["run"] {
  return async (books, { rounds, say }) => {
    for (let round = 1; round <= rounds; round++) {
      for (const part of parts) say(`round ${round}/${rounds}, ${await part(books)}`);
    }
  };
}

/**
 * Asks repeatedly and returns the seconds until the answer was true.
 * @throws {Error} if it is not in time
 */
export async function until(
  what: string,
  seconds: number,
  probe: () => boolean | Promise<boolean>,
): Promise<number> {
  const started = performance.now();
  while (!await probe()) {
    if (performance.now() - started > seconds * 1000) throw new Error(`not within ${seconds} s: ${what}`);
    await pause(100);
  }
  return (performance.now() - started) / 1000;
}
