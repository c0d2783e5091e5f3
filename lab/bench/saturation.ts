import { parseConfig } from "../../src/core/config.ts";
import { median } from "../numbers.ts";
import type { LoadPlan } from "./load.ts";
import { createRequests, seed } from "./pair.ts";
import { type BenchOptions, type Finding, milliseconds, ratioFinding } from "./report.ts";
import { inRounds } from "./rounds.ts";
import { Bed, makeTenant, refuseFailures, runLoad, type Server, type Tenant } from "./service.ts";

const READS_PER_SECOND = 100;
const REACH = 2;

/**
 * Reads in an open loop, first alone and then while 16 clients keep the model busy with creations.
 */
export async function benchSaturation(options: BenchOptions): Promise<Finding[]> {
  const { EMBEDDING_THREADS } = parseConfig({});
  return await Bed.with(async (bed) => {
    const service = await bed.start({ EMBEDDING_THREADS: String(EMBEDDING_THREADS) });
    const tenant = await makeTenant(service);
    await seed(options.texts.slice(0, 200), service, tenant, 200);
    return [await compareLatencies(options, service, tenant)];
  });
}

async function compareLatencies(options: BenchOptions, service: Server, tenant: Tenant): Promise<Finding> {
  const rounds = await inRounds(options, "reads while the model is busy", async () => {
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
    return { alone: alone.latency.p99, beside: beside.latency.p99 };
  }, ({ alone, beside }) => `p99 ${milliseconds(beside)}, alone ${milliseconds(alone)}`);
  const ratio = median(rounds.map(({ alone, beside }) => beside / alone));
  return ratioFinding(
    {
      what: `list of 50, ${READS_PER_SECOND}/s, while 16 clients create with the hint`,
      value: `p99 ${milliseconds(median(rounds.map(({ beside }) => beside)))}`,
      against: `alone: p99 ${milliseconds(median(rounds.map(({ alone }) => alone)))}`,
      details: { ratio, rounds },
    },
    ratio,
    { atMost: REACH },
  );
}
