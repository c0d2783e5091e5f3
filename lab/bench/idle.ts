import { setTimeout as pause } from "node:timers/promises";
import { withDatabase } from "../database.ts";
import { type BenchOptions, budget, type Finding } from "./report.ts";
import { Bed } from "./service.ts";

/** The service has done the work of its start after this time. */
const SETTLE_MS = 60_000;
/** Whole minutes, because some work comes once a minute. */
const MINUTES = 2;

/**
 * Measures what a service costs while nobody uses it: processor time, with that of the server's
 * backends, and on a server the transactions.
 */
export async function benchIdle(_: BenchOptions): Promise<Finding[]> {
  return await Bed.with(async (bed) => {
    const server = await bed.start({ EMBEDDING_THREADS: "1" });
    await pause(SETTLE_MS);
    const before = { usage: await server.usage(), transactions: await transactions() };
    await pause(MINUTES * 60_000);
    const after = { usage: await server.usage(), transactions: await transactions() };
    const seconds = MINUTES * 60;
    const percent = 100 * ((after.usage?.cpuSeconds ?? 0) - (before.usage?.cpuSeconds ?? 0)) / seconds;
    const most = bed.place.url ? 0.5 : 1;
    const findings = [budget("processor time of an idle service", percent, { most, unit: "% of a core" })];
    if (!bed.place.url) return findings;
    const rate = (after.transactions - before.transactions) / seconds;
    return [...findings, budget("transactions of an idle service", rate, { most: 3, unit: "a second" })];

    /** The count includes a few transactions of the bench itself. */
    async function transactions(): Promise<number> {
      if (!bed.place.url) return 0;
      return await withDatabase(bed.place, async (sql) => {
        const [row] = await sql<[{ count: number }]>`
          select (xact_commit + xact_rollback)::float8 as count from pg_stat_database where datname = current_database()`;
        return row.count;
      });
    }
  });
}
