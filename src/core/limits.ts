import { isIPv6 } from "node:net";
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterPostgres,
  RateLimiterRes,
} from "rate-limiter-flexible";
import type { Sql } from "../../db/open.ts";
import { AppError } from "./errors.ts";
import { Lanes } from "./lanes.ts";
import { type Limit, SharedCounts } from "./shared_counts.ts";

/** The most characters of a key. Its row has room for 255 with the limit's name. */
const MOST_CHARACTERS = 200;
/** The most counters that a process remembers as used up. */
const MOST_USED_UP = 100_000;
/** How far the clocks of several processes may differ. */
const CLOCKS_DIFFER_S = 60;

/**
 * Counts attempts of all processes. The counts are in the database, and in memory while the database
 * is away. A process remembers which counters are used up, and has one statement at a time for each
 * counter. So refused attempts, however many, cost no statement and wait for no lock of a row.
 */
export class Limits {
  readonly #sql: Sql;
  readonly #limiters = new Map<string, RateLimiterAbstract>();
  readonly #shared: SharedCounts;
  readonly #turns = new Lanes();
  /** The counters that are used up, and the time of `performance.now()` until which they are. */
  readonly #usedUp = new Map<string, number>();

  constructor({ sql, onError }: { sql: Sql; onError: (error: unknown) => void }) {
    this.#sql = sql;
    this.#shared = new SharedCounts(sql, onError);
  }

  /**
   * Counts one attempt of `key` and writes the RateLimit fields of the answer.
   * @throws {AppError} rate_limited, with every field that says when another try is allowed
   */
  async take(limit: Limit, key: string, headers: Headers): Promise<void> {
    const counted = await this.#counted(
      limit,
      key,
      headers,
      (limiter, counter) => consume(limiter, limit, counter, 1),
    );
    refuseBeyond(limit, counted, headers);
  }

  /**
   * Refuses an attempt of `key` if the limit is reached already. The attempt itself isn't counted.
   * @throws {AppError} rate_limited
   */
  async refuseUsedUp(limit: Limit, key: string, headers: Headers): Promise<void> {
    const counted = await this.#counted(limit, key, headers, async (limiter, counter) => {
      const found = await limiter.get(counter);
      return found && isCurrent(limit, found)
        ? found
        : new RateLimiterRes(limit.points, limit.seconds * 1000);
    });
    refuseBeyond(limit, counted, headers, 1);
  }

  /**
   * Refuses an attempt of `key` if this process knows that the counter is used up. It costs no statement.
   * @throws {AppError} rate_limited
   */
  refuseKnown(limit: Limit, key: string, headers: Headers): void {
    const ms = (this.#usedUp.get(counterName(limit, key)) ?? 0) - performance.now();
    if (ms > 0) refuseBeyond(limit, new RateLimiterRes(0, ms, limit.points), headers, 1);
  }

  /**
   * Like `take`, but the processes tell each other only once a second what they have counted. It is
   * for limits on every call, which must not cost a statement.
   */
  async takeRoughly(limit: Limit, key: string, headers: Headers, points = 1): Promise<void> {
    this.#shared.note(limit, counterOf(key), points);
    const limiter = this.#shared.limiter(limit);
    refuseBeyond(limit, await consume(limiter, limit, counterOf(key), points), headers);
  }

  /** Tells the other processes at once what this one has counted. */
  async share(): Promise<void> {
    await this.#shared.share();
  }

  close(): void {
    this.#shared.close();
  }

  /** @throws {AppError} rate_limited, if this process knows that the counter is used up */
  async #counted(
    limit: Limit,
    key: string,
    headers: Headers,
    count: (limiter: RateLimiterAbstract, counter: string) => Promise<RateLimiterRes>,
  ): Promise<RateLimiterRes> {
    const name = counterName(limit, key);
    this.refuseKnown(limit, key, headers);
    return await this.#turns.run(name, async () => {
      this.refuseKnown(limit, key, headers);
      const result = await count(this.#limiter(limit), counterOf(key));
      if (result.consumedPoints >= limit.points) this.#remember(name, result.msBeforeNext);
      return result;
    });
  }

  #remember(counter: string, ms: number): void {
    if (this.#usedUp.size >= MOST_USED_UP) this.#usedUp.clear();
    this.#usedUp.set(counter, performance.now() + ms);
  }

  #limiter({ name, points, seconds }: Limit): RateLimiterAbstract {
    let limiter = this.#limiters.get(name);
    if (!limiter) {
      limiter = new RateLimiterPostgres({
        storeClient: {
          query: ({ text, values }: { text: string; values: string[] }) => this.#query(text, values),
        },
        storeType: "pool",
        tableName: "rate_limits",
        tableCreated: true,
        // src/admin/prune.ts clears expired counts, in one process.
        clearExpiredByTimeout: false,
        keyPrefix: name,
        points,
        duration: seconds,
        insuranceLimiter: new RateLimiterMemory({ points, duration: seconds }),
      });
      this.#limiters.set(name, limiter);
    }
    return limiter;
  }

  async #query(text: string, values: string[]) {
    const rows = await this.#sql.unsafe(text, values);
    return { rows, rowCount: rows.count };
  }
}

async function consume(
  limiter: RateLimiterAbstract,
  limit: Limit,
  counter: string,
  points: number,
): Promise<RateLimiterRes> {
  const result = await count(limiter, counter, points);
  if (isCurrent(limit, result)) return result;
  // Without this, a count that began before the clock was set back would last until the clock
  // reaches that time again.
  await limiter.delete(counter);
  return await count(limiter, counter, points);
}

function counterName({ name }: Limit, key: string): string {
  return `${name}:${counterOf(key)}`;
}

function isCurrent({ seconds }: Limit, { msBeforeNext }: RateLimiterRes): boolean {
  return msBeforeNext <= (seconds + CLOCKS_DIFFER_S) * 1000;
}

/**
 * Writes the RateLimit fields of the answer. `further` are attempts that aren't counted yet.
 * @throws {AppError} rate_limited, with every field that says when another try is allowed
 */
function refuseBeyond(limit: Limit, result: RateLimiterRes, headers: Headers, further = 0): void {
  const seconds = tell(limit, result, headers);
  if (result.consumedPoints + further <= limit.points) return;
  headers.set("Retry-After", String(seconds));
  throw new AppError("rate_limited", `Too many attempts: try again in ${seconds} s`, {
    retryAfter: seconds,
  });
}

/** Writes the RateLimit fields and returns the seconds until the counter starts again at zero. */
function tell({ name, points, seconds: w }: Limit, result: RateLimiterRes, headers: Headers): number {
  const seconds = Math.max(1, Math.ceil(result.msBeforeNext / 1000));
  const remaining = Math.min(points, Math.max(0, result.remainingPoints));
  headers.set("RateLimit-Policy", `"${name}";q=${points};w=${w}`);
  headers.set("RateLimit", `"${name}";r=${remaining};t=${seconds}`);
  return seconds;
}

async function count(limiter: RateLimiterAbstract, counter: string, points: number): Promise<RateLimiterRes> {
  try {
    return await limiter.consume(counter, points);
  } catch (refusal) {
    if (refusal instanceof RateLimiterRes) return refusal;
    throw refusal;
  }
}

/**
 * Returns the name of the counter. An IPv6 address counts as its /64, because one owner usually has
 * the whole /64. An IPv6 address that stands for an IPv4 address counts as the IPv4 address.
 */
export function counterOf(key: string): string {
  const address = key.replace(/%.*/, "");
  if (!isIPv6(address)) return key.slice(0, MOST_CHARACTERS);
  const short = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const mapped = /^::ffff:(\w+):(\w+)$/.exec(short)?.slice(1).map((group) => parseInt(group, 16));
  if (mapped) return mapped.flatMap((group) => [group >> 8, group & 255]).join(".");
  const given = short.split(":").filter(Boolean).length;
  const groups = short.replace("::", `:${"0:".repeat(8 - given)}`).split(":").filter(Boolean);
  return `${groups.slice(0, 4).join(":")}::/64`;
}
