/** One write of a client. */
export interface Entry {
  /** The kind of write, such as `move`, and its ticket, by the key in its title. */
  kind: string;
  key: string;
  /**
   * `unknown` means that it was sent and nobody said whether it happened: there was no answer, or a
   * 503.
   */
  state: "sent" | "acknowledged" | "unknown" | "refused";
  /** The status of a refusal, or the reason for a missing answer. */
  reason?: string;
}

export interface Counts {
  sent: number;
  acknowledged: number;
  found: number;
  /** Writes that were acknowledged but are missing. */
  missing: number;
  /** Writes that were stored more than once. */
  doubled: number;
}

/** The writes that were sent and acknowledged, and after `settle` those that were found. */
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
   * Compares the open entries with the database, and closes them. An acknowledged write must be
   * stored once. An unanswered write may be stored once or not at all. A refused write, and a write
   * that was never sent, must not be stored.
   * @returns the writes that were stored without an acknowledgement
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
