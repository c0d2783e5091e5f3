import { RateLimiterMemory } from "rate-limiter-flexible";
import type { Sql } from "../../db/open.ts";

/** How long a process may keep to itself what it has counted. */
const SHARE_MS = 1_000;

/**
 * Allows a number of attempts (`points`) within a number of seconds. `name` is the counter's name,
 * which the answer's RateLimit fields show.
 */
export interface Limit {
  name: string;
  points: number;
  seconds: number;
}

interface Unshared {
  limit: Limit;
  key: string;
  points: number;
}

interface SharedCount {
  counter: string;
  points: number;
  ms_left: number;
}

/**
 * Counts of all processes that cost a call no statement. Each process counts in memory. Once a second
 * it adds what is new to the counts in the database, by one statement for all keys, and learns from
 * its answer what the other processes have counted for these keys.
 */
export class SharedCounts {
  readonly #sql: Sql;
  readonly #onError: (error: unknown) => void;
  readonly #limiters = new Map<string, RateLimiterMemory>();
  #unshared = new Map<string, Unshared>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #closed = false;

  constructor(sql: Sql, onError: (error: unknown) => void) {
    this.#sql = sql;
    this.#onError = onError;
  }

  /** The memory's part, which knows the counts of the others as of the last second. */
  limiter({ name, points, seconds }: Limit): RateLimiterMemory {
    let limiter = this.#limiters.get(name);
    if (!limiter) {
      limiter = new RateLimiterMemory({ points, duration: seconds });
      this.#limiters.set(name, limiter);
    }
    return limiter;
  }

  /** Notes what `limiter` counts at the same time, so that the other processes learn of it. */
  note(limit: Limit, key: string, points: number): void {
    // The package names the rows of exact counts in the same way.
    const counter = `${limit.name}:${key}`;
    const noted = this.#unshared.get(counter)?.points ?? 0;
    this.#unshared.set(counter, { limit, key, points: noted + points });
    this.#schedule();
  }

  /** Shares what this process has counted until now. */
  async share(): Promise<void> {
    const sent = this.#unshared;
    this.#unshared = new Map();
    try {
      for (const row of await this.#add(sent)) await this.#learn(sent.get(row.counter)!, row);
    } catch (error) {
      // The counts that couldn't be shared still count in this process.
      if (!this.#closed) this.#onError(error);
    }
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    if (this.#closed) return;
    this.#timer ??= setTimeout(async () => {
      await this.share();
      this.#timer = undefined;
      if (this.#unshared.size > 0) this.#schedule();
    }, SHARE_MS);
  }

  /** Takes the rows in the order of their keys, so that two processes can't wait for each other. */
  async #add(counts: ReadonlyMap<string, Unshared>): Promise<SharedCount[]> {
    const added = [...counts.values()];
    return await this.#sql<SharedCount[]>`
      insert into rate_limits as shared (key, points, expire)
      select counter, points, extract(epoch from now()) * 1000 + seconds * 1000
      from unnest(${[...counts.keys()]}::text[], ${added.map(({ points }) => points)}::int[],
        ${added.map(({ limit }) => limit.seconds)}::int[]) as added (counter, points, seconds)
      order by counter
      on conflict (key) do update set (points, expire) = (
        select excluded.points + case when goes_on then shared.points else 0 end,
          case when goes_on then shared.expire else excluded.expire end
        from (select shared.expire between extract(epoch from now()) * 1000 and excluded.expire) as past (goes_on))
      returning key as counter, points, (expire - extract(epoch from now()) * 1000)::float8 as ms_left`;
  }

  async #learn({ limit, key }: Unshared, { counter, points, ms_left }: SharedCount): Promise<void> {
    const since = this.#unshared.get(counter)?.points ?? 0;
    await this.limiter(limit).set(key, points + since, Math.max(ms_left, 1) / 1000);
  }
}
