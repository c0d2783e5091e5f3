import type { LoadPlan, LoadResult } from "./load.ts";
import { type BenchOptions, type Finding, median, milliseconds, perSecond, progress } from "./report.ts";
import { runLoad, type Server } from "./service.ts";

/** One side of a comparison: where the load goes, and what of the plan is its own. */
interface Side {
  server: Server;
  /** Called for each round anew: a token may have to be renewed, a text must not come twice. */
  plan: (round: number) => Promise<Omit<LoadPlan, "seconds">> | Omit<LoadPlan, "seconds">;
}

interface Measured extends LoadResult {
  /** Processor time of the process and its database backends for one request; absent where it can't be read. */
  cpuMs: number | undefined;
}

/** Sends a load and reads what it cost. */
export async function measure(server: Server, plan: LoadPlan): Promise<Measured> {
  const before = await server.usage();
  const result = await runLoad(plan);
  const after = await server.usage();
  const cpuMs = before && after ? (after.cpuSeconds - before.cpuSeconds) * 1000 / result.requests : undefined;
  return { ...result, cpuMs };
}

interface Comparison {
  what: string;
  against: string;
  ours: Side;
  theirs: Side;
  /** The least ratio of throughputs. */
  atLeast: number;
  /** Milliseconds that 99 of 100 answers may take. */
  p99Below?: number;
}

/**
 * Throughput in turn, A B A B, after one round that nobody counts: what else the machine does hits both. An answer
 * that is no success ends the bench.
 */
export async function compare(options: BenchOptions, comparison: Comparison): Promise<Finding> {
  const { what, ours, theirs } = comparison;
  const rounds: { ours: Measured; theirs: Measured }[] = [];
  for (let round = 0; round <= options.rounds; round++) {
    const seconds = round === 0 ? Math.min(2, options.seconds) : options.seconds;
    const pair = {
      ours: await measure(ours.server, { ...await ours.plan(round), seconds }),
      theirs: await measure(theirs.server, { ...await theirs.plan(round), seconds }),
    };
    refuseFailures(what, pair.ours);
    refuseFailures(comparison.against, pair.theirs);
    if (round === 0) continue;
    rounds.push(pair);
    progress(
      `${what}, ${round} of ${options.rounds}: ${describe(pair.ours)}, against ${describe(pair.theirs)}`,
    );
  }
  return findingOf(comparison, rounds);
}

/** @throws {Error} when there were other answers than successes */
export function refuseFailures(what: string, { statuses }: LoadResult): void {
  const failed = Object.keys(statuses).filter((status) => !/^2\d\d$/.test(status));
  if (failed.length > 0) {
    throw new Error(`${what}: not every answer was a success: ${JSON.stringify(statuses)}`);
  }
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
