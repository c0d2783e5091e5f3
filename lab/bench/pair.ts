import { isDeepStrictEqual } from "node:util";
import { emptyPglite, type Place } from "../../tests/database.ts";
import { ask } from "../client.ts";
import { withDatabase } from "../database.ts";
import { Bed, makeTenant, refuseFailures, runLoad, type Server, type Tenant } from "./service.ts";
import type { LoadRequest } from "./load.ts";
import { type BenchOptions, progress } from "./report.ts";
import type { TicketText } from "./texts.ts";

/** The service and the server with which it is compared, each over a copy of the same data. */
export interface Pair {
  service: Server;
  bare: Server;
  tenant: Tenant;
  /** The caller's headers if the other side is a service, too. */
  otherHeaders?: Tenant["headers"];
}

/** Prepares the database for a bench before both sides get it. It has its `tickets` already. */
type Prepare = (service: Server, tenant: Tenant) => Promise<void>;

/** Runs `work` with both sides up over `tickets` tickets, and leaves nothing behind. */
export async function withPair<T>(
  options: BenchOptions,
  tickets: number,
  work: (pair: Pair) => Promise<T>,
  prepare: Prepare = () => Promise.resolve(),
): Promise<T> {
  progress(`preparing ${tickets} tickets`);
  return await Bed.with(async (bed) => {
    const { place } = bed;
    if (!place.url) await emptyPglite(place.dataDir);
    const seeding = await bed.start();
    const tenant = await makeTenant(seeding);
    await seed(options.texts, seeding, tenant, tickets);
    await prepare(seeding, tenant);
    await seeding.stop();
    await analyze(place);
    const copy = await bed.copy();
    const service = await bed.start();
    return await work({ service, bare: await bed.startBare(copy, service.origin), tenant });
  });
}

/** Creates tickets through the service itself. */
export async function seed(
  texts: TicketText[],
  server: Server,
  tenant: Tenant,
  count: number,
): Promise<void> {
  if (count === 0) return;
  const result = await runLoad({
    origin: server.origin,
    headers: await tenant.headers(server),
    requests: createRequests(texts, `/api${tenant.path}`),
    clients: 16,
    seconds: 600,
    count,
  });
  refuseFailures("seeding", result);
}

/** Makes a creation for each text, under the project's path. */
export function createRequests(texts: readonly TicketText[], projectPath: string): LoadRequest[] {
  return texts.map((text) => ({
    method: "POST",
    path: `${projectPath}/tickets`,
    body: JSON.stringify(text),
  }));
}

/**
 * Refreshes the statistics, so that neither side's plans depend on when the database last collected
 * some.
 */
export async function analyze(place: Place): Promise<void> {
  await withDatabase(place, (sql) => sql.unsafe("vacuum analyze"));
}

const SHOWN = 2000;

/** @throws {Error} if the two sides don't answer the same JSON */
export async function requireEqualAnswers(pair: Pair, path: string): Promise<void> {
  const { service, bare, tenant } = pair;
  const ours = await ask("GET", `${service.origin}/api${path}`, { headers: await tenant.headers(service) });
  const theirs = await ask("GET", bare.origin + path);
  if (!isDeepStrictEqual(ours, theirs)) {
    const shown = [ours, theirs].map((answer) => JSON.stringify(answer).slice(-SHOWN));
    throw new Error(`The two sides answer differently to ${path}:\n${shown.join("\n")}`);
  }
}
