import type { Sql } from "../../db/open.ts";
import { type Event, readEvents } from "./events.ts";
import { Sequencer } from "./sequencer.ts";

type Matches = (event: Event) => boolean;

/**
 * How long to wait, and the signal that ends the wait early, usually `ctx.signal`, which aborts
 * when the caller leaves.
 */
export interface Patience {
  seconds: number;
  signal: AbortSignal;
}

interface FeedOptions {
  sql: Sql;
  /** Whether no other process writes to the database. */
  isAlone: boolean;
  /** Called with errors outside any request. The read that failed is tried again. */
  onError: (error: unknown) => void;
}

/** The number of events that are kept in memory for callers that follow the feed. */
const KEPT = 1000;
const PAGE = 500;

/**
 * The only reader of numbered events in the process. A waiting caller costs no statement and no
 * connection. While anybody waits, each event is read once for all callers.
 */
export class Feed {
  readonly #sql: Sql;
  readonly #onError: (error: unknown) => void;
  readonly #sequencer: Sequencer;
  readonly #watches = new Set<Watch>();
  /**
   * The last events in order, without gaps up to `#read`. The list is filled only while somebody
   * watches.
   */
  #recent: Event[] = [];
  #last: number;
  #read = 0;
  #reading = false;
  #closed = false;
  /** Called when the last number grows, or when the feed drains. */
  readonly #waiting = new Set<() => void>();
  readonly #followed = new Map<string, number>();

  private constructor({ sql, isAlone, onError }: FeedOptions, last: number) {
    this.#sql = sql;
    this.#onError = onError;
    this.#last = last;
    this.#sequencer = new Sequencer({ sql, isAlone, onNumber: (last) => this.#advance(last), onError });
  }

  static async open(options: FeedOptions): Promise<Feed> {
    const [{ last_seq }] = await options.sql<[{ last_seq: number }]>`select last_seq from event_counter`;
    return new Feed(options, last_seq);
  }

  /**
   * The highest number that this process knows of. Its own changes are in it at once, and those of
   * other processes within a fifth of a second, or within a second after a quiet time.
   */
  get last(): number {
    return this.#last;
  }

  /** The number up to which events were offered to all watches. */
  get position(): number {
    return this.#watches.size === 0 ? this.#last : this.#read;
  }

  /** The number up to which a follower (core/follower.ts) has handled the events, as far as known here. */
  followed(name: string): number {
    return this.#followed.get(name) ?? -1;
  }

  setFollowed(name: string, seq: number): void {
    this.#followed.set(name, Math.max(seq, this.followed(name)));
  }

  /** Waits until there is a number after `seq`. It reads no events. */
  async advanced(seq: number, { seconds, signal }: Patience): Promise<void> {
    if (this.#last > seq || this.#closed || signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const go = () => resolve();
    const timer = setTimeout(go, seconds * 1000);
    signal.addEventListener("abort", go);
    this.#waiting.add(go);
    await promise;
    clearTimeout(timer);
    signal.removeEventListener("abort", go);
    this.#waiting.delete(go);
  }

  /** The number of callers that wait or follow. */
  get size(): number {
    return this.#watches.size;
  }

  /**
   * Call this after each commit that may have changed a ticket, so that the events of the change
   * get their numbers at once.
   */
  wake(): void {
    this.#sequencer.wake();
  }

  /**
   * Watches for events. Watch first, then read the state, then await `next()`. In this order no
   * event is missed:
   * ```ts
   * using answers = ctx.feed.watch((event) => event.entity_id === id);
   * let question = await read(id);
   * if (isPending(question) && await answers.next({ seconds, signal: ctx.signal })) question = await read(id);
   * ```
   * A watch may return an event from shortly before the watch began.
   */
  watch(matches: Matches): Watch {
    if (this.#watches.size === 0) this.#read = this.#last;
    const watch = new Watch(matches, () => this.#forget(watch));
    this.#watches.add(watch);
    if (this.#closed) watch.end();
    return watch;
  }

  /**
   * Returns the first matching event from now on, or null if the time is over, the caller has gone
   * or the service drains.
   */
  async wait(matches: Matches, patience: Patience): Promise<Event | null> {
    using watch = this.watch(matches);
    return await watch.next(patience);
  }

  /**
   * Returns the events after `seq` from memory, while somebody watches. Returns null if memory
   * doesn't hold all of these events. Then they must be read from the database.
   */
  recentAfter(seq: number): Event[] | null {
    if (seq >= this.#read) return [];
    const [first] = this.#recent;
    if (!first || first.seq > seq + 1) return null;
    return this.#recent.slice(this.#recent.findLastIndex((event) => event.seq <= seq) + 1);
  }

  /** Ends all waits with null, now and in the future. */
  drain(): void {
    this.#closed = true;
    for (const watch of this.#watches) watch.end();
    for (const go of this.#waiting) go();
  }

  async close(): Promise<void> {
    this.drain();
    await this.#sequencer.stop();
  }

  #forget(watch: Watch): void {
    this.#watches.delete(watch);
    if (this.#watches.size === 0) this.#recent = [];
  }

  #advance(last: number): void {
    if (last > this.#last) {
      for (const go of this.#waiting) go();
    }
    this.#last = last;
    if (this.#watches.size > 0 && this.#read < last) void this.#catchUp();
  }

  async #catchUp(): Promise<void> {
    if (this.#reading) return;
    this.#reading = true;
    try {
      while (this.#watches.size > 0 && this.#read < this.#last) {
        const after = this.#read;
        const events = await readEvents(this.#sql, { after, limit: PAGE });
        // During the read, the last watch may have ended, and a new watch with a later start may
        // have begun.
        if (after === this.#read) this.#tell(events);
        if (events.length === 0) break;
      }
    } catch (error) {
      // The next read tries again.
      this.#onError(error);
    } finally {
      this.#reading = false;
    }
  }

  #tell(events: readonly Event[]): void {
    this.#read = events.at(-1)?.seq ?? this.#read;
    this.#recent = [...this.#recent, ...events].slice(-KEPT);
    for (const event of events) {
      for (const watch of this.#watches) watch.offer(event);
    }
  }
}

/** One caller's watch. It keeps only one event, because the caller reads the state anyway. */
export class Watch implements Disposable {
  readonly #matches: Matches;
  readonly #forget: () => void;
  #found: Event | null = null;
  #ended = false;
  #waiting: ((event: Event | null) => void) | null = null;

  constructor(matches: Matches, forget: () => void) {
    this.#matches = matches;
    this.#forget = forget;
  }

  /**
   * Returns the first matching event since the watch began, or since `next` last returned an event.
   * Returns null in the same cases as `Feed.wait`.
   */
  async next({ seconds, signal }: Patience): Promise<Event | null> {
    const found = this.#take();
    if (found || this.#ended || signal.aborted) return found;
    const { promise, resolve } = Promise.withResolvers<Event | null>();
    const give = () => resolve(this.#take());
    const timer = setTimeout(give, seconds * 1000);
    signal.addEventListener("abort", give);
    this.#waiting = give;
    try {
      return await promise;
    } finally {
      this.#waiting = null;
      clearTimeout(timer);
      signal.removeEventListener("abort", give);
    }
  }

  offer(event: Event): void {
    if (this.#found || !this.#matches(event)) return;
    this.#found = event;
    this.#waiting?.(event);
  }

  end(): void {
    this.#ended = true;
    this.#waiting?.(null);
  }

  [Symbol.dispose](): void {
    this.end();
    this.#forget();
  }

  #take(): Event | null {
    const found = this.#found;
    this.#found = null;
    return found;
  }
}
