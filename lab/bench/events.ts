import { setTimeout as pause } from "node:timers/promises";
import { ask, send } from "../client.ts";
import { serverSentEvents } from "../event_stream.ts";
import { quantile, times } from "../numbers.ts";
import { type BenchOptions, type Finding, milliseconds, progress } from "./report.ts";
import { Bed, makeTenant, metric, type Server, type Tenant } from "./service.ts";

const CHANGES_PER_SECOND = 500;
const STREAMS = 500;
const TICKETS = 50;

/**
 * Measures the time from a change to its line in a stream, with 500 changes a second at fixed
 * times, and the cost of 500 idle streams.
 */
export async function benchEvents({ seconds }: BenchOptions): Promise<Finding[]> {
  return await Bed.with(async (bed) => {
    const server = await bed.start();
    const tenant = await makeTenant(server);
    const idle = await measureIdle(server, tenant);
    const findings = [idle, await measureLatency([server], tenant, { reader: 0, seconds, limit: 100 })];
    if (!bed.place.url) return findings;
    const servers = [server, await bed.start()];
    return [...findings, await measureLatency(servers, tenant, { reader: 1, seconds, limit: 500 })];
  });
}

interface Heard {
  at: string;
  type: string;
}

/** Reads a stream until it is stopped. */
function listen(
  origin: string,
  headers: Record<string, string>,
  hear: (event: Heard) => void = () => {},
): AbortController {
  const stop = new AbortController();
  void (async () => {
    const url = `${origin}/api/events/stream`;
    for await (const event of serverSentEvents<Heard>(url, headers, stop.signal)) hear(event);
  })().catch(() => {});
  return stop;
}

interface Plan {
  /**
   * The index of the server from which the stream is read. The changes are sent to the first
   * server.
   */
  reader: number;
  seconds: number;
  limit: number;
}

async function measureLatency(servers: Server[], tenant: Tenant, plan: Plan): Promise<Finding> {
  const { reader, seconds, limit } = plan;
  const headers = { ...await tenant.headers(servers[0]!), "content-type": "application/json" };
  const tickets = await makeTickets(servers[0]!, tenant, headers);
  const latencies: number[] = [];
  const stop = listen(servers[reader]!.origin, headers, ({ at, type }) => {
    if (type === "ticket.changed") latencies.push(Date.now() - Date.parse(at));
  });
  const paths = tickets.map((id) => `${tenant.path}/tickets/${id}`);
  // These calls come before the measurement, so that their code is compiled already.
  for (let n = 0; n < 60; n++) {
    await Promise.all(paths.slice(0, 16).map((path) => change(servers[0]!, path, { headers, n: -1 - n })));
  }
  await pause(2000);
  latencies.length = 0;
  const answers: Promise<unknown>[] = [];
  const started = performance.now();
  const total = CHANGES_PER_SECOND * seconds;
  for (let n = 0; n < total; n++) {
    const due = started + n * 1000 / CHANGES_PER_SECOND;
    const early = due - performance.now();
    if (early > 1) await pause(early);
    answers.push(change(servers[0]!, paths[n % TICKETS]!, { headers, n }));
  }
  await Promise.all(answers);
  await pause(2000);
  stop.abort();
  const p99 = latencies.length > 0 ? quantile(latencies, 0.99) : Infinity;
  progress(`${latencies.length} of ${total} changes heard, p99 ${milliseconds(p99)}`);
  return {
    what: `from a change to a stream's line, p99, ${reader === 0 ? "the same process" : "another process"}`,
    value: milliseconds(p99),
    against: `${CHANGES_PER_SECOND} changes a second by the clock, for ${seconds} s`,
    reached: milliseconds(p99),
    reach: `< ${limit} ms, all heard`,
    ok: p99 < limit && latencies.length === total,
    details: { latencies },
  };
}

async function change(
  { origin }: Server,
  path: string,
  { headers, n }: { headers: Record<string, string>; n: number },
): Promise<void> {
  // The field is not searchable, so that the events are measured and not the search index.
  const body = { suggested_resolution: `change ${n}` };
  await send("PATCH", `${origin}/api${path}`, { headers, body });
}

async function makeTickets(
  { origin }: Server,
  tenant: Tenant,
  headers: Record<string, string>,
): Promise<string[]> {
  return await Promise.all(times(TICKETS, async (n) => {
    const body = {
      title: `Ticket ${n} to change`,
      description: "It is changed again and again.",
      request_type: "bug",
      priority: "low",
      blocking: false,
    };
    const url = `${origin}/api${tenant.path}/tickets`;
    return (await ask<{ ticket: { id: string } }>("POST", url, { headers, body })).ticket.id;
  }));
}

async function measureIdle(server: Server, tenant: Tenant): Promise<Finding> {
  const headers = await tenant.headers(server);
  const connections = () => metric(server, 'handoff_database_connections{state="active"}');
  const resident = () => metric(server, "process_resident_memory_bytes");
  // The first streams don't count, because they also take memory that the process keeps, such as
  // compiled code.
  const first = times(STREAMS, () => listen(server.origin, headers));
  await pause(20_000);
  for (const stream of first) stream.abort();
  await pause(5_000);
  const before = await resident();
  const healthBefore = await healthP99(server);
  const streams = times(STREAMS, () => listen(server.origin, headers));
  await pause(20_000);
  const growth = (await resident() - before) / 1e6;
  const healthAfter = await healthP99(server);
  const followers = await metric(server, "handoff_event_followers");
  const active = await connections();
  for (const stream of streams) stream.abort();
  return {
    what: `${STREAMS} idle streams: growth of memory`,
    value: `${growth.toFixed(1)} MB`,
    against: `${followers} open, ${active} database connections active`,
    reached: `/healthz p99 ${milliseconds(healthBefore)} → ${milliseconds(healthAfter)}`,
    reach: "< 30 MB",
    ok: growth < 30 && followers === STREAMS,
    details: { healthBefore, healthAfter, active },
  };
}

async function healthP99({ origin }: Server): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < 500; n++) {
    const started = performance.now();
    await (await fetch(`${origin}/healthz`)).text();
    times.push(performance.now() - started);
  }
  return times.toSorted((a, b) => a - b)[494]!;
}
