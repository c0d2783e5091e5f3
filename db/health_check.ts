import { isDiskFull, isUnavailable } from "./errors.ts";

/** Whether the database answers and takes writes. */
export interface DatabaseHealth {
  readonly lost: boolean;
  /** Whether a statement of the last minute found no room on the disk. Reads still work then. */
  readonly full: boolean;
  /** Calls `listener` at each failure during a loss of the database, and at the end of the loss. */
  onLoss(listener: () => void): void;
}

/**
 * The health check's own connection. Each failed ping drops it, so that the next ping reconnects.
 */
interface Probe {
  ping(): Promise<unknown>;
  drop(): void;
}

const TICK_MS = 250;
/**
 * A tick that comes later than this isn't counted, because the process was too busy to read an
 * answer. Some long answers to its callers in a row could otherwise look like a silent database.
 */
const LATE_MS = 50;
/**
 * The ticks from an answer to the next ping of a healthy database. Three ticks and the silence
 * below make two seconds, within which a loss is known.
 */
const PING_TICKS = 3;
/**
 * 1.25 s. Silence is counted in ticks and not by the clock. Otherwise a process that was itself
 * stopped for a while would count its own pause as silence of the database.
 */
const SILENT_TICKS = 5;
/**
 * 6 s. postgres.js gives each connection 5 s, but it reconnects for ever to a server that ends
 * connections before it answers.
 */
const UNMET_TICKS = 24;
/** A single broken connection is no loss, because the next ping uses a new connection. */
const FAILURES_UNTIL_LOST = 2;

/**
 * Pings the database more than once a second, so that a loss is known within two seconds. The server
 * may refuse connections or be shutting down, or the host may drop every packet, which would hold a
 * request for minutes.
 */
export class HealthCheck implements DatabaseHealth {
  readonly #probe: Probe;
  readonly #listeners: (() => void)[] = [];
  readonly #timer: ReturnType<typeof setInterval>;
  #asked: { ticks: number } | null = null;
  #ticked = performance.now();
  /** The ticks since the last answer. */
  #rested = PING_TICKS;
  #failures = 0;
  #lost = false;
  readonly #disk = new Disk();
  /**
   * Whether the database has ever answered. Before the first answer, a connection may take longer,
   * and usually fails with a message that says why.
   */
  #met = false;

  constructor(probe: Probe) {
    this.#probe = probe;
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
  }

  get lost(): boolean {
    return this.#lost;
  }

  get full(): boolean {
    return this.#disk.full;
  }

  /** Takes note of a statement that failed. */
  note(error: unknown): void {
    this.#disk.note(error);
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
    const now = performance.now();
    const isLate = now - this.#ticked > TICK_MS + LATE_MS;
    this.#ticked = now;
    if (!this.#asked) {
      const isHealthy = this.#met && !this.#lost && this.#failures === 0;
      return ++this.#rested < PING_TICKS && isHealthy ? undefined : this.#ask();
    }
    if (isLate) return;
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
    this.#rested = 0;
    if (!this.#lost) return;
    // Connections that were made since the last failure may lead to a server to which the name no
    // longer points.
    this.#tell();
    this.#lost = false;
  }

  #fail(): void {
    this.#asked = null;
    this.#probe.drop();
    if (++this.#failures < FAILURES_UNTIL_LOST) return this.#ask();
    this.#lost = true;
    // Listeners are called at each failure and not only at the first, so that statements that began
    // to wait since then stop waiting.
    this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

const FULL_FOR_MS = 60_000;

/** Remembers whether there was room on the database's disk, because no check can ask without a write. */
export class Disk {
  #fullAt = -Infinity;

  get full(): boolean {
    return performance.now() - this.#fullAt < FULL_FOR_MS;
  }

  /** Takes note of a statement that failed. */
  note(error: unknown): void {
    if (isDiskFull(error)) this.#fullAt = performance.now();
  }
}

/** A server that answers with any other error, "too many connections" included, is there. */
function isAbsence(error: unknown): boolean {
  return isUnavailable(error) && !(error as { code?: string }).code?.startsWith("53");
}
