import { setTimeout as pause } from "node:timers/promises";
import { Ledger } from "./ledger.ts";

/** What the command line says. */
export interface Options {
  rounds: number;
  /** How long a round of `mixed` lasts, and what its first one does. */
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
  /** As many as it does by itself. */
  rounds: number;
  run(books: Books, options: Options): Promise<void>;
}

/** What came of a scenario on one database; it failed when `problems` are told. */
export class Books {
  readonly ledger = new Ledger();
  readonly #failures: string[] = [];

  /** Notes what goes wrong without ending the scenario. */
  expect(holds: boolean, otherwise: string): void {
    if (!holds) this.#failures.push(otherwise);
  }

  get problems(): string[] {
    return [...this.#failures, ...this.ledger.problems];
  }
}

/** A part of a scenario, with a service of its own; answers what was seen, for the reader. */
export type Part = (books: Books) => Promise<string>;

/** Plays its parts in each round, one after the other. */
export function inParts(parts: readonly Part[]): Scenario["run"] {
  return async (books, { rounds, say }) => {
    for (let round = 1; round <= rounds; round++) {
      for (const part of parts) say(`round ${round}/${rounds}, ${await part(books)}`);
    }
  };
}

/** Asks again and again, and answers after how many seconds it came true. @throws {Error} when not in time */
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

/** The value that `share` of the values do not pass, or 0 of none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
