import type { Sql } from "../../db/open.ts";

/**
 * Remembers for a few seconds who a credential belongs to and what they may do in a project, so
 * that most calls need no statement for it. A write that changes either calls `forgetAccess`. Other
 * processes follow within the time to live, which is under the five seconds that a revocation may
 * take.
 */
export class AccessCache {
  static readonly TTL_MS = 3_000;
  static readonly MAX_ENTRIES = 10_000;
  readonly #entries = new Map<string, { value: unknown; until: number }>();
  /** The reads that are under way and began after the last clear. */
  readonly #loading = new Map<string, Promise<unknown>>();
  readonly #sql: Sql;
  #generation = 0;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** The number of times that the cache was cleared. */
  get generation(): number {
    return this.#generation;
  }

  /**
   * Answers the remembered value, or the loaded one. `load` reads on the client and not in a
   * transaction, so that no value is remembered that a transaction may yet roll back. Calls of the
   * same moment share one read, because one event may wake a thousand waiters. A failure is not
   * remembered.
   */
  async get<T>(key: string, load: (sql: Sql) => Promise<T>): Promise<T> {
    const now = performance.now();
    const hit = this.#entries.get(key);
    if (hit && hit.until > now) return hit.value as T;
    return await (this.#loading.get(key) ?? this.#load(key, load, now)) as T;
  }

  #load(key: string, load: (sql: Sql) => Promise<unknown>, now: number): Promise<unknown> {
    // A value that was read before a clear may be old by now.
    const isCurrent = () => this.#loading.get(key) === loading;
    const loading: Promise<unknown> = load(this.#sql).then((value) => {
      if (isCurrent()) this.#store(key, value, now);
      return value;
    }).finally(() => {
      if (isCurrent()) this.#loading.delete(key);
    });
    this.#loading.set(key, loading);
    return loading;
  }

  clear(): void {
    this.#generation++;
    this.#entries.clear();
    this.#loading.clear();
  }

  #store(key: string, value: unknown, now: number): void {
    if (this.#entries.size >= AccessCache.MAX_ENTRIES) this.#entries.clear();
    this.#entries.set(key, { value, until: now + AccessCache.TTL_MS });
  }
}
