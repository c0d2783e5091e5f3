import { setTimeout as pause } from "node:timers/promises";
import type { Sql } from "../../db/open.ts";

/**
 * The time between two looks for changes that another process committed or left without a number,
 * while there are events, and when there was none for a while. Where no other process writes, a
 * change without a number is an exception, such as a statement by hand.
 */
const BUSY_MS = 200;
const QUIET_MS = 1_000;
const QUIET_AFTER_MS = 30_000;
/**
 * The least time from one look to the next, so that a busy service numbers many events at once. In
 * the embedded database a look holds up everything else.
 */
const PACE_MS = 50;
/**
 * The outbox is vacuumed after this many rows. Each look reads what is dead as well, and a server's
 * own vacuum comes only once a minute, when a busy service has left 100,000 dead rows.
 */
const VACUUM_AFTER = 5_000;
/** An empty outbox that is larger gives its pages back, because each look reads all of them. */
const LARGE_BYTES = 1024 * 1024;
/** The time between two tries, because a long transaction of somebody else may prevent it. */
const SHRINK_MS = 10_000;

interface SequencerParts {
  sql: Sql;
  /** Whether no other process writes to the database. */
  isAlone: boolean;
  /** Called after each look, with the last number. */
  onNumber: (last: number) => void;
  onError: (error: unknown) => void;
}

interface Look {
  last_seq: number;
  numbered: number;
  outbox_bytes: number;
}

/**
 * Gives committed changes their numbers (see the migration of events). It runs in each process at
 * once after the process's own commits, and also at intervals, so that changes of a process that
 * died get their numbers too.
 */
export class Sequencer {
  readonly #parts: SequencerParts;
  readonly #done: Promise<void>;
  #woken = Promise.withResolvers<void>();
  #stopped = false;
  #dead = 0;
  #lastEvent = performance.now();
  #last = 0;
  #shrunk = -Infinity;

  constructor(parts: SequencerParts) {
    this.#parts = parts;
    this.#done = this.#run();
  }

  /** Call this when a change may have been committed. */
  wake(): void {
    this.#woken.resolve();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.wake();
    await this.#done;
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      this.#woken = Promise.withResolvers<void>();
      const paced = pause(PACE_MS);
      const left = await this.#number() > 0 && await this.#number() > 0;
      if (!left) await this.#rest();
      await paced;
    }
  }

  /** Waits for the next call of `wake`, or until it is time to look anyway. */
  async #rest(): Promise<void> {
    const { isAlone } = this.#parts;
    const isQuiet = isAlone || performance.now() - this.#lastEvent > QUIET_AFTER_MS;
    const timer = setTimeout(() => this.wake(), isQuiet ? QUIET_MS : BUSY_MS);
    await this.#woken.promise;
    clearTimeout(timer);
  }

  /**
   * Tells of the numbers from before the call only. The statement returns before its commit. If
   * readers were told of its own numbers, they could look for the events too early, find nothing
   * and skip them. The next call tells of these.
   */
  async #number(): Promise<number> {
    const { sql, onNumber, onError } = this.#parts;
    try {
      const [{ last_seq, numbered, outbox_bytes }] = await sql<[Look]>`
        select last_seq, numbered, outbox_bytes from number_events()`;
      if (last_seq > this.#last) this.#lastEvent = performance.now();
      this.#last = last_seq;
      onNumber(last_seq - numbered);
      await this.#vacuum(numbered);
      if (numbered === 0 && outbox_bytes > LARGE_BYTES) await this.#shrink();
      return numbered;
    } catch (error) {
      if (!this.#stopped) onError(error);
      return 0;
    }
  }

  /** To give pages back, vacuum locks the table for some milliseconds, and waits for nobody. */
  async #shrink(): Promise<void> {
    if (performance.now() - this.#shrunk < SHRINK_MS) return;
    this.#shrunk = performance.now();
    await this.#parts.sql`vacuum (skip_locked, truncate on) event_outbox`;
  }

  async #vacuum(moved: number): Promise<void> {
    this.#dead += moved;
    if (this.#dead < VACUUM_AFTER) return;
    this.#dead = 0;
    await this.#parts.sql`vacuum (skip_locked) event_outbox`;
  }
}
