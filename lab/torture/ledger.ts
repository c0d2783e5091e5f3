/** One write of a client. */
interface Entry {
  /** What was done, such as `move`, and to which ticket, by the key in its title. */
  kind: string;
  key: string;
  /** `unknown`: it was sent, and nobody said whether it happened: no answer, or a 503. */
  state: "sent" | "acknowledged" | "unknown" | "refused";
  /** Status of a refusal, or why there was no answer. */
  reason?: string;
}

export interface Counts {
  sent: number;
  acknowledged: number;
  found: number;
  /** Acknowledged, and not there. */
  missing: number;
  /** There more than once. */
  doubled: number;
}

/** What was sent, what was acknowledged, and, by `settle`, what of it was found again. */
export class Ledger {
  readonly #open = new Map<string, Entry>();
  readonly #counts: Counts = { sent: 0, acknowledged: 0, found: 0, missing: 0, doubled: 0 };
  readonly problems: string[] = [];

  enter(kind: string, key: string): Entry {
    const entry: Entry = { kind, key, state: "sent" };
    this.#open.set(nameOf(kind, key), entry);
    return entry;
  }

  get counts(): Readonly<Counts> {
    return this.#counts;
  }

  /**
   * Compares the open entries with what stands in the database, and closes them. What was acknowledged must stand
   * once; what nobody answered may stand once or not at all; nothing may stand that was refused or never sent.
   * @returns what stands although nobody said so
   */
  settle(found: ReadonlyMap<string, number>): Entry[] {
    const silent: Entry[] = [];
    for (const entry of this.#open.values()) {
      const name = nameOf(entry.kind, entry.key);
      const times = found.get(name) ?? 0;
      const acknowledged = entry.state === "acknowledged";
      this.#count({
        sent: 1,
        acknowledged: Number(acknowledged),
        found: Math.min(times, 1),
        missing: Number(acknowledged && times === 0),
        doubled: Number(times > 1),
      });
      if (acknowledged && times === 0) this.problems.push(`${name} was acknowledged and is missing`);
      if (times > 1) this.problems.push(`${name} stands ${times} times`);
      if (entry.state === "unknown" && times > 0) silent.push(entry);
      if (entry.state === "refused") this.problems.push(`${name} was refused: ${entry.reason}`);
    }
    for (const name of found.keys()) {
      if (!this.#open.has(name)) this.problems.push(`${name} stands and was not sent`);
    }
    this.#open.clear();
    return silent;
  }

  #count(more: Counts): void {
    for (const name of Object.keys(more) as (keyof Counts)[]) this.#counts[name] += more[name];
  }
}

export function nameOf(kind: string, key: string): string {
  return `${kind} ${key}`;
}
