import type { LoadPlan, LoadRequest, LoadResult } from "./load.ts";
import type { Pair } from "./pair.ts";
import { median } from "../numbers.ts";
import { type BenchOptions, type Finding, milliseconds, perSecond, progress } from "./report.ts";
import { refuseFailures, runLoad, type Server } from "./service.ts";

interface Measured extends LoadResult {
  /**
   * Processor time of the process and its database backends for one request; absent if it can't be
   * read.
   */
  cpuMs: number | undefined;
}

/** Sends a load and measures its cost. */
export async function measure(server: Server, plan: LoadPlan): Promise<Measured> {
  const before = await server.usage();
  const result = await runLoad(plan);
  const after = await server.usage();
  const cpuMs = before && after ? (after.cpuSeconds - before.cpuSeconds) * 1000 / result.requests : undefined;
  return { ...result, cpuMs };
}

/** Measures in rounds, after one that doesn't count, because it compiles code and fills caches. */
export async function inRounds<T>(
  { rounds }: BenchOptions,
  what: string,
  measure: (round: number) => Promise<T>,
  describe: (result: T) => string,
): Promise<T[]> {
  const results: T[] = [];
  for (let round = 0; round <= rounds; round++) {
    const result = await measure(round);
    if (round === 0) continue;
    results.push(result);
    progress(`${what}, ${round} of ${rounds}: ${describe(result)}`);
  }
  return results;
}

interface Comparison {
  what: string;
  against: string;
  /** The requests that both sides get, each below its own prefix. */
  requests: (prefix: "/api" | "") => LoadRequest[];
  /** The least ratio of throughputs. */
  atLeast: number;
  /** Milliseconds that 99 of 100 answers may take. */
  p99Below?: number;
}

const CLIENTS = 16;
/** Higher than the number of requests in any round, so that no number comes twice. */
const NUMBERS = 10_000_000;

/**
 * Measures throughput in turn, A B A B, after one round that doesn't count, so that other work on
 * the machine hits both sides. An answer that is no success ends the bench.
 */
export async function compare(
  options: BenchOptions,
  { service, bare, tenant, otherHeaders }: Pair,
  comparison: Comparison,
): Promise<Finding> {
  const { what, against, requests } = comparison;
  const ours = { origin: service.origin, requests: requests("/api") };
  const theirs = { origin: bare.origin, requests: requests(otherHeaders ? "/api" : "") };
  const rounds = await inRounds(options, what, async (round) => {
    const seconds = round === 0 ? Math.min(2, options.seconds) : options.seconds;
    const load = { clients: CLIENTS, seconds, firstNumber: (round + 1) * NUMBERS };
    const headers = await tenant.headers(service);
    const pair = {
      ours: await measure(service, { ...load, ...ours, headers }),
      theirs: await measure(bare, { ...load, ...theirs, ...await headersFor(bare, otherHeaders) }),
    };
    refuseFailures(what, pair.ours);
    refuseFailures(against, pair.theirs);
    return pair;
  }, ({ ours, theirs }) => `${describe(ours)}, against ${describe(theirs)}`);
  return findingOf(comparison, rounds);
}

async function headersFor(server: Server, headers: Pair["otherHeaders"]) {
  return headers ? { headers: await headers(server) } : {};
}

function describe({ perSecond: rate, latency, cpuMs }: Measured): string {
  const cpu = cpuMs === undefined ? "" : `, ${cpuMs.toFixed(3)} ms of processor each`;
  return `${perSecond(rate)} (p99 ${milliseconds(latency.p99)}${cpu})`;
}

function findingOf(comparison: Comparison, rounds: { ours: Measured; theirs: Measured }[]): Finding {
  const { what, against, atLeast, p99Below } = comparison;
  const ratio = median(rounds.map(({ ours, theirs }) => ours.perSecond / theirs.perSecond));
  const ours = median(rounds.map(({ ours }) => ours.perSecond));
  const theirs = median(rounds.map(({ theirs }) => theirs.perSecond));
  const p99 = median(rounds.map(({ ours }) => ours.latency.p99));
  const cpu = rounds.flatMap(({ ours, theirs }) =>
    ours.cpuMs === undefined || theirs.cpuMs === undefined ? [] : [ours.cpuMs / theirs.cpuMs]
  );
  const cpuNote = cpu.length > 0 ? `; processor time × ${median(cpu).toFixed(2)}` : "";
  return {
    what,
    value: `${perSecond(ours)}, p99 ${milliseconds(p99)}`,
    against: `${against}: ${perSecond(theirs)}`,
    reached: `${ratio.toFixed(2)}${cpuNote}`,
    reach: `≥ ${atLeast}${p99Below === undefined ? "" : `, p99 < ${p99Below} ms`}`,
    ok: ratio >= atLeast && (p99Below === undefined || p99 < p99Below),
    details: { ratio, p99, ours, theirs, cpuRatio: cpu.length > 0 ? median(cpu) : null, rounds },
  };
}
