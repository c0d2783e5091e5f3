import { isUnavailable } from "./errors.ts";

/** Whether the database answers, and takes writes. */
export interface DatabaseHealth {
  readonly lost: boolean;
  /** Calls `listener` at each loss, and at its end. */
  onLoss(listener: () => void): void;
}

/** What a pulse is felt by: one connection of its own, which is dropped whenever it fails. */
interface Probe {
  ping(): Promise<unknown>;
  drop(): void;
}

const TICK_MS = 250;
/** 1.25 s. Ticks, not the clock: a process that was itself stopped for a while must not take that for silence. */
const SILENT_TICKS = 5;
/** 6 s: postgres.js gives each connection 5 s, but connects anew for ever to what ends them before it answers. */
const UNMET_TICKS = 24;
/** A single broken connection is no loss: the next ping has a new one. */
const FAILURES_UNTIL_LOST = 2;

/**
 * Asks the database for a sign of life four times a second, so that its loss is known within two seconds, whether it
 * refuses, is shutting down, or is a host that swallows every packet and would hold a request for minutes.
 */
export class HealthCheck implements DatabaseHealth {
  readonly #probe: Probe;
  readonly #listeners: (() => void)[] = [];
  readonly #timer: ReturnType<typeof setInterval>;
  #asked: { ticks: number } | null = null;
  #failures = 0;
  #lost = false;
  /** Has it ever answered? Before that, what connects may take its time, and mostly says itself why it can't. */
  #met = false;

  constructor(probe: Probe) {
    this.#probe = probe;
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
  }

  get lost(): boolean {
    return this.#lost;
  }

  onLoss(listener: () => void): void {
    this.#listeners.push(listener);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#asked = null;
    this.#probe.drop();
  }

  #tick(): void {
    if (!this.#asked) return this.#ask();
    if (++this.#asked.ticks < (this.#met ? SILENT_TICKS : UNMET_TICKS)) return;
    this.#failures = FAILURES_UNTIL_LOST;
    this.#fail();
  }

  #ask(): void {
    const asked = { ticks: 0 };
    this.#asked = asked;
    this.#probe.ping().then(() => undefined, (error: unknown) => error).then((error) => {
      if (this.#asked !== asked) return;
      this.#asked = null;
      if (isAbsence(error)) this.#fail();
      else this.#succeed();
    });
  }

  #succeed(): void {
    this.#met = true;
    this.#failures = 0;
    if (!this.#lost) return;
    // What has connected since the last failure may have come to the server that the name no longer leads to.
    this.#tell();
    this.#lost = false;
  }

  #fail(): void {
    this.#asked = null;
    this.#probe.drop();
    if (++this.#failures < FAILURES_UNTIL_LOST) return this.#ask();
    this.#lost = true;
    // At each failure, not at the first only: what has begun to wait since then shall not wait on.
    this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** Whatever else a server answers, "too many connections" included, it is there. */
function isAbsence(error: unknown): boolean {
  return isUnavailable(error) && !(error as { code?: string }).code?.startsWith("53");
}
