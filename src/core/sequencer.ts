import { setTimeout as pause } from "node:timers/promises";
import type { Sql } from "../../db/open.ts";

/**
 * The time between two looks for changes that another process committed or left without a number.
 */
const TICK_MS = 200;
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

interface Parts {
  sql: Sql;
  /** Called after each look, with the last number. */
  onNumber: (last: number) => void;
  onError: (error: unknown) => void;
}

/**
 * Gives committed changes their numbers (see the migration of events). It runs in each process at
 * once after the process's own commits, and also at intervals, so that changes of a process that
 * died get their numbers too.
 */
export class Sequencer {
  readonly #parts: Parts;
  readonly #timer: ReturnType<typeof setInterval>;
  readonly #done: Promise<void>;
  #woken = Promise.withResolvers<void>();
  #stopped = false;
  #dead = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#timer = setInterval(() => this.wake(), TICK_MS);
    this.#done = this.#run();
  }

  /** Call this when a change may have been committed. */
  wake(): void {
    this.#woken.resolve();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#timer);
    this.wake();
    await this.#done;
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      this.#woken = Promise.withResolvers<void>();
      const paced = pause(PACE_MS);
      const left = await this.#number() > 0 && await this.#number() > 0;
      if (!left) await this.#woken.promise;
      await paced;
    }
  }

  /**
   * Tells of the numbers from before the call only. The statement returns before its commit. If
   * readers were told of its own numbers, they could look for the events too early, find nothing
   * and skip them. The next call tells of these.
   */
  async #number(): Promise<number> {
    const { sql, onNumber, onError } = this.#parts;
    try {
      const [{ last_seq, numbered }] = await sql<[{ last_seq: number; numbered: number }]>`
        select last_seq, numbered from number_events()`;
      onNumber(last_seq - numbered);
      await this.#vacuum(numbered);
      return numbered;
    } catch (error) {
      if (!this.#stopped) onError(error);
      return 0;
    }
  }

  async #vacuum(moved: number): Promise<void> {
    this.#dead += moved;
    if (this.#dead < VACUUM_AFTER) return;
    this.#dead = 0;
    await this.#parts.sql`vacuum (skip_locked) event_outbox`;
  }
}
