import { setTimeout as pause } from "node:timers/promises";
import { dropPlace, emptyPlace, type Place } from "../../tests/database.ts";
import { createRequests } from "./pair.ts";
import { type BenchOptions, type Finding, median, milliseconds, progress } from "./report.ts";
import { measure } from "./rounds.ts";
import {
  call,
  makeTenant,
  metric,
  refuseFailures,
  type Server,
  startService,
  type Tenant,
  withDatabase,
} from "./service.ts";

/** The calls of a key are limited, so several agents share the load. */
const AGENTS = 20;
const READS = 500;
const TICKETS = 50;
const PAGE = 20;
const WAITS = 200;
/** A server adds a connection's transactions to its statistics within 10 s of its last statement. */
const SETTLED_MS = 12_000;
const WATCHED_S = 10;

interface Agent {
  headers: Record<string, string>;
}

/** Measures what one read costs an agent's door beside the same read by REST, and what 200 waiting agents cost. */
export async function benchMcp(options: BenchOptions): Promise<Finding[]> {
  const place = await emptyPlace("bench");
  const service = await startService(place);
  try {
    const tenant = await makeTenant(service);
    await fill(service, tenant, options);
    const agents = await makeAgents(service, tenant);
    return [
      await compareReads(options, service, tenant, agents),
      await measureWaits(service, agents, place),
    ];
  } finally {
    await service.stop();
    await dropPlace(place);
  }
}

async function fill(service: Server, tenant: Tenant, { texts }: BenchOptions): Promise<void> {
  const headers = await tenant.headers(service);
  for (const { method, path, body } of createRequests(texts.slice(0, TICKETS), `/api${tenant.path}`)) {
    await call(service, headers, { method, path, body: JSON.parse(body!) });
  }
}

async function makeAgents(service: Server, tenant: Tenant): Promise<Agent[]> {
  const headers = await tenant.headers(service);
  return await Promise.all(Array.from({ length: AGENTS }, async (_, n) => {
    const { key } = await call<{ key: string }>(service, headers, {
      method: "POST",
      path: "/api/keys",
      body: { name: `Agent ${n}` },
    });
    return { headers: { authorization: `Bearer ${key}` } };
  }));
}

/** A call of a tool, in the revision of 2026-07-28. */
function toolCall({ headers }: Agent, name: string, args: Record<string, unknown>) {
  const body = {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: {
      name,
      arguments: args,
      _meta: {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
      },
    },
  };
  return {
    method: "POST",
    path: "/mcp",
    headers: {
      ...headers,
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": name,
    },
    body: JSON.stringify(body),
  };
}

async function compareReads(
  options: BenchOptions,
  service: Server,
  tenant: Tenant,
  agents: readonly Agent[],
): Promise<Finding> {
  const door = agents.map((agent) => toolCall(agent, "find_tickets", { project: "BENCH", limit: PAGE }));
  const path = `/api${tenant.path}/tickets?limit=${PAGE}`;
  const rest = agents.map(({ headers }) => ({ method: "GET", path, headers }));
  await requirePage(service, door[0]!);
  const plan = { origin: service.origin, clients: 1, seconds: 60, count: READS };
  const rounds: { door: number; rest: number }[] = [];
  for (let round = 0; round <= options.rounds; round++) {
    const pair = {
      door: await measure(service, { ...plan, requests: door }),
      rest: await measure(service, { ...plan, requests: rest }),
    };
    for (const [side, result] of Object.entries(pair)) refuseFailures(side, result);
    // The code is compiled in a round that doesn't count.
    if (round === 0) continue;
    rounds.push({ door: pair.door.cpuMs ?? 0, rest: pair.rest.cpuMs ?? 0 });
    progress(`${milliseconds(rounds.at(-1)!.door)} by MCP, ${milliseconds(rounds.at(-1)!.rest)} by REST`);
  }
  const ratio = median(rounds.map(({ door, rest }) => door / rest));
  return {
    what: `find_tickets, a page of ${PAGE}: processor time`,
    value: milliseconds(median(rounds.map(({ door }) => door))),
    against: `the same page by REST: ${milliseconds(median(rounds.map(({ rest }) => rest)))}`,
    reached: `× ${ratio.toFixed(2)}`,
    reach: "≤ × 2",
    ok: ratio <= 2,
    details: { ratio, rounds },
  };
}

/** A tool that fails answers with 200, too. */
async function requirePage({ origin }: Server, { path, ...request }: ReturnType<typeof toolCall>) {
  const headers = { ...request.headers, "content-type": "application/json" };
  const text = await (await fetch(origin + path, { ...request, headers })).text();
  const { result } = JSON.parse(text);
  if (result?.structuredContent?.tickets?.length !== PAGE) throw new Error(`no page of tickets: ${text}`);
}

async function measureWaits(service: Server, agents: readonly Agent[], place: Place): Promise<Finding> {
  // Memory that the process keeps for good is no growth by waits.
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

/** Lets agents wait for a ticket that nobody changes, does `work`, and lets them go. */
async function letWait<T>(service: Server, agents: readonly Agent[], work: () => Promise<T>): Promise<T> {
  const stop = new AbortController();
  for (let n = 0; n < WAITS; n++) {
    const { path, headers, ...request } = toolCall(agents[n % AGENTS]!, "wait_for", { ticket: "BENCH-1" });
    const withType = { ...headers, "content-type": "application/json" };
    void fetch(service.origin + path, { ...request, headers: withType, signal: stop.signal })
      .then((response) => response.text()).catch(() => {});
  }
  while (await metric(service, "handoff_event_followers") < WAITS) await pause(100);
  try {
    return await work();
  } finally {
    stop.abort();
  }
}

/** Transactions of the whole database in a second; 0 on the embedded one, which nobody else can ask. */
async function statementsPerSecond({ url }: Place): Promise<number> {
  const count = () =>
    withDatabase(url!, async (sql) => {
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
