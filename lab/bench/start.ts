import { setTimeout as pause } from "node:timers/promises";
import { dropPlace, emptyPlace, type Place } from "../../tests/database.ts";
import { parseConfig } from "../../src/core/config.ts";
import { seed } from "./pair.ts";
import { type BenchOptions, type Finding, median, milliseconds, progress } from "./report.ts";
import { makeTenant, type Server, startService } from "./service.ts";

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
  const place = await emptyPlace("bench");
  const { EMBEDDING_THREADS } = parseConfig({});
  const env = { EMBEDDING_THREADS: String(EMBEDDING_THREADS) };
  try {
    await (await startService(place, env)).stop();
    return [await timeStarts(options, place, env), ...await weigh(options, place, env)];
  } finally {
    await dropPlace(place);
  }
}

async function timeStarts(
  options: BenchOptions,
  place: Place,
  env: Record<string, string>,
): Promise<Finding> {
  const times: number[] = [];
  for (let round = 1; round <= options.rounds; round++) {
    const service = await startService(place, env);
    times.push(service.startMs);
    progress(`start to ready, ${round} of ${options.rounds}: ${milliseconds(service.startMs)}`);
    await service.stop();
  }
  const time = median(times);
  return {
    what: "start to ready, model included",
    value: milliseconds(time),
    against: "",
    reached: milliseconds(time),
    reach: `≤ ${READY_MS} ms`,
    ok: time <= READY_MS,
    details: { times },
  };
}

async function weigh(
  options: BenchOptions,
  place: Place,
  env: Record<string, string>,
): Promise<Finding[]> {
  const resting = await startService(place, env);
  await pause(SETTLING_MS);
  const rest = await megabytes(resting);
  await resting.stop();
  if (rest === null) return [];
  const service = await startService(place);
  const tenant = await makeTenant(service);
  const after: number[] = [];
  for (const turn of [1, 2, 3]) {
    await seed(options.texts, service, tenant, CREATES);
    await pause(SETTLING_MS);
    after.push((await megabytes(service))!);
    progress(`memory after ${turn * CREATES} creations: ${after.at(-1)!.toFixed(0)} MB`);
  }
  await service.stop();
  const growth = after[1]! - after[0]!;
  return [{
    what: "memory at rest, model included",
    value: `${rest.toFixed(0)} MB`,
    against: "",
    reached: `${rest.toFixed(0)} MB`,
    reach: `≤ ${REST_MB} MB`,
    ok: rest <= REST_MB,
    details: { rest },
  }, {
    what: `memory after ${2 * CREATES} creations, hint off`,
    value: `${after[1]!.toFixed(0)} MB`,
    against: `after ${CREATES}: ${after[0]!.toFixed(0)} MB`,
    reached: `${growth >= 0 ? "+" : ""}${growth.toFixed(0)} MB`,
    reach: `≤ +${GROWTH_MB} MB`,
    ok: growth <= GROWTH_MB,
    details: { after },
  }];
}

async function megabytes(server: Server): Promise<number | null> {
  const usage = await server.usage();
  return usage && usage.residentBytes / MEGABYTE;
}
