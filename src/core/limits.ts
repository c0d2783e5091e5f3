import { isIPv6 } from "node:net";
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterPostgres,
  RateLimiterRes,
} from "rate-limiter-flexible";
import type { Sql } from "../../db/open.ts";
import { AppError } from "./errors.ts";
import { type Limit, SharedCounts } from "./shared_counts.ts";

/** The most characters of a key. Its row has room for 255 with the limit's name. */
const MOST_CHARACTERS = 200;
/** How far the clocks of several processes may differ. */
const CLOCKS_DIFFER_S = 60;

interface Attempt {
  key: string;
  headers: Headers;
  /** The number of attempts that this one counts for. */
  points: number;
}

/**
 * Counts attempts of all processes. The counts are in the database, and in memory while the database
 * is away.
 */
export class Limits {
  readonly #sql: Sql;
  readonly #limiters = new Map<string, RateLimiterAbstract>();
  readonly #shared: SharedCounts;

  constructor({ sql, onError }: { sql: Sql; onError: (error: unknown) => void }) {
    this.#sql = sql;
    this.#shared = new SharedCounts(sql, onError);
  }

  /**
   * Counts one attempt of `key` and writes the RateLimit fields of the answer.
   * @throws {AppError} rate_limited, with every field that says when another try is allowed
   */
  async take(limit: Limit, key: string, headers: Headers): Promise<void> {
    await consume(this.#limiter(limit), limit, { key, headers, points: 1 });
  }

  /** Takes back an attempt that should not count, and writes the RateLimit fields again. */
  async giveBack(limit: Limit, key: string, headers: Headers): Promise<void> {
    tell(limit, await this.#limiter(limit).reward(counterOf(key)), headers);
  }

  /**
   * Like `take`, but the processes tell each other only once a second what they have counted. It is
   * for limits on every call, which must not cost a statement.
   */
  async takeRoughly(limit: Limit, key: string, headers: Headers, points = 1): Promise<void> {
    this.#shared.note(limit, counterOf(key), points);
    await consume(this.#shared.limiter(limit), limit, { key, headers, points });
  }

  /** Tells the other processes at once what this one has counted. */
  async share(): Promise<void> {
    await this.#shared.share();
  }

  close(): void {
    this.#shared.close();
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

async function consume(limiter: RateLimiterAbstract, limit: Limit, attempt: Attempt): Promise<void> {
  const { key, headers, points } = attempt;
  const counter = counterOf(key);
  let result = await count(limiter, counter, points);
  if (result.msBeforeNext > (limit.seconds + CLOCKS_DIFFER_S) * 1000) {
    // Without this, a count that began before the clock was set back would last until the clock
    // reaches that time again.
    await limiter.delete(counter);
    result = await count(limiter, counter, points);
  }
  const seconds = tell(limit, result, headers);
  if (result.consumedPoints <= limit.points) return;
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
function counterOf(key: string): string {
  const address = key.replace(/%.*/, "");
  if (!isIPv6(address)) return key.slice(0, MOST_CHARACTERS);
  const short = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const mapped = /^::ffff:(\w+):(\w+)$/.exec(short)?.slice(1).map((group) => parseInt(group, 16));
  if (mapped) return mapped.flatMap((group) => [group >> 8, group & 255]).join(".");
  const given = short.split(":").filter(Boolean).length;
  const groups = short.replace("::", `:${"0:".repeat(8 - given)}`).split(":").filter(Boolean);
  return `${groups.slice(0, 4).join(":")}::/64`;
}
