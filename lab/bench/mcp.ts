import { setTimeout as pause } from "node:timers/promises";
import type { Place } from "../../tests/database.ts";
import { ask, send } from "../client.ts";
import { withDatabase } from "../database.ts";
import { median } from "../numbers.ts";
import { type Agent, makeAgents, toolCall } from "./agents.ts";
import type { LoadRequest } from "./load.ts";
import { createRequests } from "./pair.ts";
import { type BenchOptions, type Finding, milliseconds, ratioFinding } from "./report.ts";
import { inRounds, measure } from "./rounds.ts";
import { Bed, makeTenant, metric, refuseFailures, type Server, type Tenant } from "./service.ts";

/** The calls of a key are limited, so several agents share the load. */
const AGENTS = 20;
const READS = 500;
const TICKETS = 50;
const PAGE = 20;
const WAITS = 200;
/** A server adds a connection's transactions to its statistics within 10 s of its last statement. */
const SETTLED_MS = 12_000;
const WATCHED_S = 10;

/** Compares what one read costs over MCP and over REST, and measures what 200 waiting agents cost. */
export async function benchMcp(options: BenchOptions): Promise<Finding[]> {
  return await Bed.with(async (bed) => {
    const service = await bed.start();
    const tenant = await makeTenant(service);
    await fill(service, tenant, options);
    const agents = await makeAgents(service, tenant, AGENTS);
    return [
      await compareReads(options, service, tenant, agents),
      await measureWaits(service, agents, bed.place),
    ];
  });
}

async function fill(service: Server, tenant: Tenant, { texts }: BenchOptions): Promise<void> {
  const headers = await tenant.headers(service);
  for (const { method, path, body } of createRequests(texts.slice(0, TICKETS), `/api${tenant.path}`)) {
    await ask(method, service.origin + path, { headers, raw: body });
  }
}

async function compareReads(
  options: BenchOptions,
  service: Server,
  tenant: Tenant,
  agents: readonly Agent[],
): Promise<Finding> {
  const tools = agents.map((agent) => toolCall(agent, "find_tickets", { project: "BENCH", limit: PAGE }));
  const path = `/api${tenant.path}/tickets?limit=${PAGE}`;
  const rest = agents.map(({ headers }) => ({ method: "GET", path, headers }));
  await requirePage(service, tools[0]!);
  const plan = { origin: service.origin, clients: 1, seconds: 60, count: READS };
  const cpuOf = async (side: string, requests: LoadRequest[]) => {
    const result = await measure(service, { ...plan, requests });
    refuseFailures(side, result);
    return result.cpuMs ?? 0;
  };
  const what = `find_tickets, a page of ${PAGE}: processor time`;
  const rounds = await inRounds(
    options,
    what,
    async () => ({ mcp: await cpuOf("MCP", tools), rest: await cpuOf("REST", rest) }),
    ({ mcp, rest }) => `${milliseconds(mcp)} by MCP, ${milliseconds(rest)} by REST`,
  );
  const ratio = median(rounds.map(({ mcp, rest }) => mcp / rest));
  const value = milliseconds(median(rounds.map(({ mcp }) => mcp)));
  const against = `the same page by REST: ${milliseconds(median(rounds.map(({ rest }) => rest)))}`;
  return ratioFinding({ what, value, against, details: { ratio, rounds } }, ratio, { atMost: 2 });
}

/** Checks the answer, because a tool that fails answers with 200, too. */
async function requirePage({ origin }: Server, { path, headers, body }: ReturnType<typeof toolCall>) {
  type Page = { result?: { structuredContent?: { tickets?: unknown[] } } };
  const answer = await send<Page>("POST", origin + path, { headers, raw: body });
  const tickets = answer.body.result?.structuredContent?.tickets;
  if (tickets?.length !== PAGE) throw new Error(`no page of tickets: ${answer.text}`);
}

async function measureWaits(service: Server, agents: readonly Agent[], place: Place): Promise<Finding> {
  // The first waits don't count, because they also take memory that the process keeps.
  await letWait(service, agents, () => pause(5_000));
  await pause(SETTLED_MS);
  const idle = { statements: await statementsPerSecond(place), resident: await resident(service) };
  const busy = await letWait(service, agents, async () => {
    await pause(SETTLED_MS);
    return {
      statements: await statementsPerSecond(place),
      resident: await resident(service),
      held: await metric(service, 'handoff_database_connections{state="active"}') +
        await metric(service, 'handoff_database_connections{state="idle in transaction"}'),
      waiting: await metric(service, "handoff_event_followers"),
    };
  });
  const growth = (busy.resident - idle.resident) / 1e6;
  const statements = Math.max(0, busy.statements - idle.statements);
  return {
    what: `${WAITS} agents that wait: growth of memory`,
    value: `${growth.toFixed(1)} MB`,
    against: `${busy.waiting} waiting, ${busy.held} connections held`,
    reached: `${growth.toFixed(1)} MB, ${statements.toFixed(1)} transactions a second more`,
    reach: "< 30 MB, ≤ 2/s",
    ok: growth < 30 && statements <= 2 && busy.waiting >= WAITS,
    details: { idle, busy },
  };
}

/**
 * Lets agents wait for a ticket that nobody changes, does `work` during that time, and then ends
 * the waits.
 */
async function letWait<T>(service: Server, agents: readonly Agent[], work: () => Promise<T>): Promise<T> {
  const stop = new AbortController();
  for (let n = 0; n < WAITS; n++) {
    const { path, headers, body } = toolCall(agents[n % AGENTS]!, "wait_for", { ticket: "BENCH-1" });
    // The answer is a stream of events, which is no JSON.
    void send("POST", service.origin + path, { headers, raw: body, signal: stop.signal }).catch(() => {});
  }
  while (await metric(service, "handoff_event_followers") < WAITS) await pause(100);
  try {
    return await work();
  } finally {
    stop.abort();
  }
}

/**
 * Returns the transactions of the whole database in a second; 0 on the embedded database, because
 * no other process can query it.
 */
async function statementsPerSecond(place: Place): Promise<number> {
  const { url } = place;
  const count = () =>
    withDatabase(place, async (sql) => {
      const [row] = await sql<[{ count: string }]>`
        select xact_commit + xact_rollback as count from pg_stat_database where datname = current_database()`;
      return Number(row.count);
    });
  const before = url ? await count() : 0;
  await pause(WATCHED_S * 1000);
  return url ? (await count() - before) / WATCHED_S : 0;
}

function resident(service: Server): Promise<number> {
  return metric(service, "process_resident_memory_bytes");
}
