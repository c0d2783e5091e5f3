import type { Counts, Ledger } from "./ledger.ts";

/** What the command line says. */
export interface Options {
  /** Undefined: as many as the scenario does by itself. */
  rounds: number | undefined;
  /** Shell commands that stop the PostgreSQL server hard and start it again. */
  stopCommand: string | undefined;
  startCommand: string | undefined;
  say(text: string): void;
}

/** What came of a scenario on one database. */
export interface Outcome {
  rounds: number;
  counts: Counts;
  /** Figures for the reader. */
  notes: string[];
  /** Why it failed; empty when it held. */
  failures: string[];
}

export interface Scenario {
  name: string;
  summary: string;
  run(options: Options): Promise<Outcome>;
}

/** Collects what goes wrong without ending the scenario. */
export class Findings {
  readonly failures: string[] = [];
  readonly notes: string[] = [];

  /** @returns whether it held */
  expect(holds: boolean, otherwise: string): boolean {
    if (!holds) this.failures.push(otherwise);
    return holds;
  }

  note(text: string): void {
    this.notes.push(text);
  }
}

/** What a scenario's parts write into. */
export interface Books {
  ledger: Ledger;
  findings: Findings;
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Asks again and again; throws what it waited for when it does not come true in time. */
export async function until(what: string, seconds: number, probe: () => Promise<boolean>): Promise<number> {
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
