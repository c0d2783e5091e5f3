import { type Place, serverUrl } from "../../tests/database.ts";
import { withDatabase } from "../database.ts";
import { median } from "../numbers.ts";
import { analyze, seed } from "./pair.ts";
import { type BenchOptions, type Finding, perSecond, progress } from "./report.ts";
import { inRounds } from "./rounds.ts";
import { Bed, makeTenant, refuseFailures, runLoad, type Server, type Tenant } from "./service.ts";

const CORES_NEEDED = 4;
const REACH = 1.7;

/**
 * Adds a second process on the same server. Reads spread over both, and scheduled work still runs
 * once.
 */
export async function benchProcesses(options: BenchOptions): Promise<Finding[]> {
  if (!serverUrl) {
    progress("two processes need a server: skipped on the embedded database");
    return [];
  }
  return await Bed.with(async (bed) => {
    const first = await bed.start();
    const tenant = await makeTenant(first);
    await seed(options.texts, first, tenant, 1000);
    const servers = [first, await bed.start()];
    await analyze(bed.place);
    return [await compareReads(options, servers, tenant), await countSweeps(bed.place)];
  });
}

async function compareReads(options: BenchOptions, servers: Server[], tenant: Tenant): Promise<Finding> {
  const load = async ({ origin }: Server, clients: number) => {
    const headers = await tenant.headers(servers[0]!);
    const requests = [{ method: "GET", path: `/api${tenant.path}/tickets` }];
    const result = await runLoad({ origin, headers, requests, clients, seconds: options.seconds });
    refuseFailures("list", result);
    return result.perSecond;
  };
  const rounds = await inRounds(options, "two processes", async () => {
    const one = await load(servers[0]!, 16);
    const both = await Promise.all(servers.map((server) => load(server, 8)));
    const two = both.reduce((sum, rate) => sum + rate, 0);
    return { one, two };
  }, ({ one, two }) => `${perSecond(two)}, one ${perSecond(one)}`);
  const ratio = median(rounds.map(({ one, two }) => two / one));
  const cores = navigator.hardwareConcurrency;
  const enough = cores >= CORES_NEEDED;
  return {
    what: `list of 50 by two processes, ${cores} cores`,
    value: perSecond(median(rounds.map(({ two }) => two))),
    against: `one process: ${perSecond(median(rounds.map(({ one }) => one)))}`,
    reached: `× ${ratio.toFixed(2)}`,
    reach: enough ? `≥ × ${REACH}` : `≥ × ${REACH} with ${CORES_NEEDED} cores or more`,
    ok: !enough || ratio >= REACH,
    details: { ratio, cores, rounds },
  };
}

/**
 * Counts the runs of a schedule that comes every minute. Each minute must have one, no matter which
 * of the two schedulers files it.
 */
async function countSweeps(place: Place): Promise<Finding> {
  return await withDatabase(place, async (sql) => {
    const rows = await sql<{ minute: string; jobs: number }[]>`
      select date_trunc('minute', created_on)::text as minute, count(*)::int as jobs from pgboss.job
      where name = 'end-leases' group by 1 order by 1`;
    const twice = rows.filter(({ jobs }) => jobs > 1);
    return {
      what: "occurrences of a schedule that two processes ran twice",
      value: String(twice.length),
      against: `occurrences: ${rows.length}`,
      reached: String(twice.length),
      reach: "0",
      ok: twice.length === 0,
      details: { rows: [...rows] },
    };
  });
}
