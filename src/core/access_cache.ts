import type { Sql } from "../../db/open.ts";

/**
 * Remembers for a few seconds who a credential belongs to and what they may do in a project, so
 * that most calls need no statement for it. A write that changes a credential or a right calls
 * `forgetAccess`. Other processes notice the change when their entries expire, which is within the
 * five seconds that a revocation may take.
 */
export class AccessCache {
  static readonly TTL_MS = 3_000;
  static readonly MAX_ENTRIES = 10_000;
  readonly #entries = new Map<string, { value: unknown; until: number }>();
  /** The running reads that began after the cache was last cleared. */
  readonly #loading = new Map<string, Promise<unknown>>();
  readonly #sql: Sql;
  #generation = 0;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** The number of times that the cache has been cleared. */
  get generation(): number {
    return this.#generation;
  }

  /**
   * Returns the remembered value, or the loaded one. `load` reads on the client and not in a
   * transaction, because a value that is rolled back later must not be remembered. Calls of the
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
    // A value that was read before the cache was cleared may be out of date.
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
