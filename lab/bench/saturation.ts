import { parseConfig } from "../../src/core/config.ts";
import { dropPlace, emptyPlace } from "../../tests/database.ts";
import type { LoadPlan } from "./load.ts";
import { createRequests, seed } from "./pair.ts";
import { type BenchOptions, type Finding, median, milliseconds, progress } from "./report.ts";
import { makeTenant, refuseFailures, runLoad, type Server, startService, type Tenant } from "./service.ts";

const READS_PER_SECOND = 100;
const REACH = 2;

/**
 * Reads in an open loop, first alone and then while 16 clients keep the model busy with creations.
 */
export async function benchSaturation(options: BenchOptions): Promise<Finding[]> {
  const place = await emptyPlace("bench");
  const { EMBEDDING_THREADS } = parseConfig({});
  const service = await startService(place, { EMBEDDING_THREADS: String(EMBEDDING_THREADS) });
  try {
    const tenant = await makeTenant(service);
    await seed(options.texts.slice(0, 200), service, tenant, 200);
    return [await compareLatencies(options, service, tenant)];
  } finally {
    await service.stop();
    await dropPlace(place);
  }
}

async function compareLatencies(options: BenchOptions, service: Server, tenant: Tenant): Promise<Finding> {
  const rounds: { alone: number; beside: number }[] = [];
  for (let round = 1; round <= options.rounds; round++) {
    const target = { origin: service.origin, headers: await tenant.headers(service) };
    const reads: LoadPlan = {
      ...target,
      requests: [{ method: "GET", path: `/api${tenant.path}/tickets` }],
      clients: 64,
      rate: READS_PER_SECOND,
      seconds: options.seconds,
    };
    const creations: LoadPlan = {
      ...target,
      requests: createRequests(options.texts, `/api${tenant.path}`),
      clients: 16,
      seconds: options.seconds + 0.5,
    };
    const alone = await runLoad(reads);
    const [beside, creates] = await Promise.all([runLoad(reads), runLoad(creations)]);
    for (const result of [alone, beside, creates]) refuseFailures("reads beside creations", result);
    rounds.push({ alone: alone.latency.p99, beside: beside.latency.p99 });
    progress(
      `reads while the model is busy, ${round} of ${options.rounds}: p99 ${
        milliseconds(beside.latency.p99)
      }, alone ${milliseconds(alone.latency.p99)}`,
    );
  }
  const ratio = median(rounds.map(({ alone, beside }) => beside / alone));
  return {
    what: `list of 50, ${READS_PER_SECOND}/s, while 16 clients create with the hint`,
    value: `p99 ${milliseconds(median(rounds.map(({ beside }) => beside)))}`,
    against: `alone: p99 ${milliseconds(median(rounds.map(({ alone }) => alone)))}`,
    reached: `× ${ratio.toFixed(2)}`,
    reach: `≤ × ${REACH}`,
    ok: ratio <= REACH,
    details: { ratio, rounds },
  };
}
