import { setTimeout as pause } from "node:timers/promises";
import { parseConfig } from "../../src/core/config.ts";
import { seed } from "./pair.ts";
import { median } from "../numbers.ts";
import { type BenchOptions, budget, type Finding, milliseconds, progress } from "./report.ts";
import { Bed, makeTenant, type Server } from "./service.ts";

const READY_MS = 2_000;
const MEGABYTE = 1_000_000;
const REST_MB = 400;
/**
 * The memory in MB that the second 10,000 creations may add, which is what a heap gives or takes
 * between two collections.
 */
const GROWTH_MB = 20;
const CREATES = 10_000;
/**
 * The embedded database looks after its tables every 10 s, so it has done so before each
 * measurement.
 */
const SETTLING_MS = 15_000;

/**
 * Measures a start on an existing database, and the process's memory before and after creations.
 */
export async function benchStart(options: BenchOptions): Promise<Finding[]> {
  const { EMBEDDING_THREADS } = parseConfig({});
  const env = { EMBEDDING_THREADS: String(EMBEDDING_THREADS) };
  return await Bed.with(async (bed) => {
    await (await bed.start(env)).stop();
    return [await timeStarts(options, bed, env), ...await weigh(options, bed, env)];
  });
}

type Env = Record<string, string>;

async function timeStarts(options: BenchOptions, bed: Bed, env: Env): Promise<Finding> {
  const times: number[] = [];
  for (let round = 1; round <= options.rounds; round++) {
    const service = await bed.start(env);
    times.push(service.startMs);
    progress(`start to ready, ${round} of ${options.rounds}: ${milliseconds(service.startMs)}`);
    await service.stop();
  }
  const what = "start to ready, model included";
  return budget(what, median(times), { most: READY_MS, unit: "ms", details: { times } });
}

async function weigh(options: BenchOptions, bed: Bed, env: Env): Promise<Finding[]> {
  const resting = await bed.start(env);
  await pause(SETTLING_MS);
  const rest = await megabytes(resting);
  await resting.stop();
  if (rest === null) return [];
  const service = await bed.start();
  const tenant = await makeTenant(service);
  const after: number[] = [];
  for (const turn of [1, 2, 3]) {
    await seed(options.texts, service, tenant, CREATES);
    await pause(SETTLING_MS);
    after.push((await megabytes(service))!);
    progress(`memory after ${turn * CREATES} creations: ${after.at(-1)!.toFixed(0)} MB`);
  }
  await service.stop();
  const [first, second] = after as [number, number];
  return [
    budget("memory at rest, model included", rest, { most: REST_MB, unit: "MB" }),
    budget(`growth of memory by the second ${CREATES} creations, hint off`, second - first, {
      most: GROWTH_MB,
      unit: "MB",
      against: `${second.toFixed(0)} MB after ${first.toFixed(0)} MB`,
      details: { after },
    }),
  ];
}

async function megabytes(server: Server): Promise<number | null> {
  const usage = await server.usage();
  return usage && usage.residentBytes / MEGABYTE;
}
