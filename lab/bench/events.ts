import { setTimeout as pause } from "node:timers/promises";
import { dropPlace, emptyPlace } from "../../tests/database.ts";
import { type BenchOptions, type Finding, milliseconds, progress } from "./report.ts";
import { makeTenant, metric, type Server, startService, type Tenant } from "./service.ts";

const CHANGES_PER_SECOND = 500;
const STREAMS = 500;
const TICKETS = 50;

/**
 * Measures how long a change takes to a line of a stream, with 500 changes a second that are sent
 * by the clock, and what 500 idle streams cost.
 */
export async function benchEvents({ seconds }: BenchOptions): Promise<Finding[]> {
  const place = await emptyPlace("bench");
  const servers: Server[] = [];
  try {
    servers.push(await startService(place));
    const tenant = await makeTenant(servers[0]!);
    const idle = await measureIdle(servers[0]!, tenant);
    const findings = [idle, await measureLatency(servers, tenant, { reader: 0, seconds, limit: 100 })];
    if (!place.url) return findings;
    servers.push(await startService(place));
    return [...findings, await measureLatency(servers, tenant, { reader: 1, seconds, limit: 500 })];
  } finally {
    for (const server of servers) await server.stop();
    await dropPlace(place);
  }
}

/** Reads a stream and hears of each part. */
function listen(
  origin: string,
  headers: Record<string, string>,
  hear: (text: string) => void,
): AbortController {
  const stop = new AbortController();
  void (async () => {
    const response = await fetch(`${origin}/api/events/stream`, { headers, signal: stop.signal });
    for await (const part of response.body!.pipeThrough(new TextDecoderStream())) hear(part);
  })().catch(() => {});
  return stop;
}

interface Plan {
  /** Which server the stream is read from; the changes go to the first. */
  reader: number;
  seconds: number;
  limit: number;
}

async function measureLatency(servers: Server[], tenant: Tenant, plan: Plan): Promise<Finding> {
  const { reader, seconds, limit } = plan;
  const headers = { ...await tenant.headers(servers[0]!), "content-type": "application/json" };
  const tickets = await makeTickets(servers[0]!, tenant, headers);
  const latencies: number[] = [];
  let text = "";
  const stop = listen(servers[reader]!.origin, headers, (part) => {
    text += part;
    const whole = text.lastIndexOf("\n\n");
    if (whole < 0) return;
    for (const [, data] of text.slice(0, whole).matchAll(/^data: (\{"seq".*)$/gm)) {
      const { at, type } = JSON.parse(data!);
      if (type === "ticket.changed") latencies.push(Date.now() - Date.parse(at));
    }
    text = text.slice(whole);
  });
  // The code of these calls is compiled before anything is measured.
  for (let n = 0; n < 60; n++) {
    await Promise.all(
      tickets.slice(0, 16).map((id) =>
        change(servers[0]!, `${tenant.path}/tickets/${id}`, { headers, n: -1 - n })
      ),
    );
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
    answers.push(change(servers[0]!, `${tenant.path}/tickets/${tickets[n % TICKETS]}`, { headers, n }));
  }
  await Promise.all(answers);
  await pause(2000);
  stop.abort();
  latencies.sort((a, b) => a - b);
  const p99 = latencies[Math.floor(latencies.length * 0.99)] ?? Infinity;
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
  // A text that no search looks through, so that the events are measured and not the search index.
  const suggested_resolution = `change ${n}`;
  const response = await fetch(`${origin}/api${path}`, {
    method: "PATCH",
    headers,
    body: JSON.stringify({ suggested_resolution }),
  });
  await response.body?.cancel();
}

async function makeTickets(
  { origin }: Server,
  tenant: Tenant,
  headers: Record<string, string>,
): Promise<string[]> {
  return await Promise.all(Array.from({ length: TICKETS }, async (_, n) => {
    const body = {
      title: `Ticket ${n} to change`,
      description: "It is changed again and again.",
      request_type: "bug",
      priority: "low",
      blocking: false,
    };
    const url = `${origin}/api${tenant.path}/tickets`;
    const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
    return (await response.json()).ticket.id;
  }));
}

async function measureIdle(server: Server, tenant: Tenant): Promise<Finding> {
  const headers = await tenant.headers(server);
  const connections = () => metric(server, 'handoff_database_connections{state="active"}');
  const resident = () => metric(server, "process_resident_memory_bytes");
  // Memory that the process keeps for good, such as compiled code, is no growth by streams.
  const first = Array.from({ length: STREAMS }, () => listen(server.origin, headers, () => {}));
  await pause(20_000);
  for (const stream of first) stream.abort();
  await pause(5_000);
  const before = await resident();
  const healthBefore = await healthP99(server);
  const streams = Array.from({ length: STREAMS }, () => listen(server.origin, headers, () => {}));
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
