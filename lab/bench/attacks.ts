import { setTimeout as pause } from "node:timers/promises";
import { ask, send } from "../client.ts";
import { quantile, times } from "../numbers.ts";
import { type BenchOptions, type Finding, milliseconds, progress } from "./report.ts";
import { Bed, makeTenant, type Server, type Tenant } from "./service.ts";

/** The longest time by which one caller may delay another. */
const BEARABLE_MS = 250;
const EVENTS = 20_000;
const STREAMS = 200;
const PAGES = 60;
const REFUSED = 1_500;
const AT_ONCE = 150;
/** An import has 16 MiB at most. */
const LONG_BYTES = 15 * 1024 * 1024;

interface Attack {
  what: string;
  run: (scene: Scene) => Promise<unknown>;
}

interface Scene {
  server: Server;
  tenant: Tenant;
  /** The header fields of the attacker, who may only read, or who administers the project. */
  viewer: Record<string, string>;
  admin: Record<string, string>;
  /** Aborts when the attack is over. */
  signal: AbortSignal;
}

const ATTACKS: readonly Attack[] = [
  { what: `${STREAMS} streams of events from 0 that nobody reads`, run: openStreams },
  { what: `${PAGES} pages of events of a rare type from 0`, run: readRareTypes },
  { what: `${REFUSED} refused sign-ins of one address`, run: trySignIns },
  {
    what: "16 MiB over tRPC, deep",
    run: (scene) => sendLong(scene, "trpc", '{"a":'.repeat(100) + "1" + "}".repeat(100)),
  },
  { what: "16 MiB over tRPC, flat", run: (scene) => sendLong(scene, "trpc", "0,0,0,0,0,0") },
  {
    what: "16 MiB of records over REST",
    run: (scene) => sendLong(scene, "rest", JSON.stringify({ evidence: "x".repeat(200) })),
  },
];

/**
 * Measures how long a member of another project waits for one ticket while somebody attacks. Each
 * attack has its own baseline, taken just before it with the same calls.
 */
export async function benchAttacks({ seconds }: BenchOptions): Promise<Finding[]> {
  return await Bed.with(async (bed) => {
    const server = await bed.start();
    const tenant = await makeTenant(server);
    const ticket = await fill(server, tenant);
    const admin = await tenant.headers(server);
    const { key } = await ask<{ key: string }>("POST", `${server.origin}/api/keys`, {
      headers: admin,
      body: { name: "Attacker", scopes: ["tickets:read"] },
    });
    const viewer = { authorization: `Bearer ${key}` };
    const bystander = await makeBystander(server, tenant, admin);
    const findings: Finding[] = [];
    for (const { what, run } of ATTACKS) {
      progress(`attacks: ${what}`);
      const before = await watch(server, ticket, bystander, pause(seconds * 1000));
      const over = new AbortController();
      const attack = run({ server, tenant, viewer, admin, signal: over.signal }).catch(() => {});
      const during = await watch(server, ticket, bystander, Promise.race([attack, pause(seconds * 1000)]));
      over.abort();
      await attack;
      findings.push(findingOf(what, before, during));
    }
    return findings;
  });
}

function findingOf(what: string, before: number[], during: number[]): Finding {
  const [worstBefore, worst] = [quantile(before, 1), quantile(during, 1)];
  return {
    what,
    value: `others: p50 ${milliseconds(quantile(during, 0.5))}, worst ${milliseconds(worst)}`,
    against: `before: p50 ${milliseconds(quantile(before, 0.5))}, worst ${milliseconds(worstBefore)}`,
    reached: milliseconds(worst - worstBefore),
    reach: `≤ ${BEARABLE_MS} ms more`,
    ok: worst - worstBefore <= BEARABLE_MS,
    details: { before, during },
  };
}

/** Reads a ticket again and again until `end` settles. Returns the times of the answers. */
async function watch(
  { origin }: Server,
  path: string,
  headers: Record<string, string>,
  end: Promise<unknown>,
): Promise<number[]> {
  let isOver = false;
  end.finally(() => isOver = true);
  const times: number[] = [];
  do {
    times.push((await send("GET", `${origin}/api${path}`, { headers })).ms);
    await pause(20);
  } while (!isOver);
  return times;
}

/** A ticket with very many events. Returns the path of another ticket. */
async function fill(server: Server, tenant: Tenant): Promise<string> {
  const headers = await tenant.headers(server);
  const create = (title: string) =>
    ask<{ ticket: { id: string } }>("POST", `${server.origin}/api${tenant.path}/tickets`, {
      headers,
      body: {
        title,
        description: "Made by the bench",
        request_type: "bug",
        priority: "low",
        blocking: false,
      },
    });
  const ids = await Promise.all(times(100, async (n) => (await create(`Ticket ${n}`)).ticket.id));
  for (let moved = 0; moved < EVENTS; moved += ids.length) {
    const stage = moved % (2 * ids.length) === 0 ? "up_next" : "backlog";
    await ask("POST", `${server.origin}/api${tenant.path}/tickets/bulk`, {
      headers,
      body: { action: "move", ticket_ids: ids, stage },
    });
  }
  return `${tenant.path}/tickets/${(await create("The bystander's")).ticket.id}`;
}

/** Makes a user of their own who reads, so that nothing of the attacker's is shared. */
async function makeBystander(
  { origin }: Server,
  { path }: Tenant,
  headers: Record<string, string>,
): Promise<Record<string, string>> {
  const person = { email: "bystander@example.test", password: "for the bench only" };
  const { id } = await ask<{ id: string }>("POST", `${origin}/api/users`, {
    headers,
    body: { ...person, name: "Bystander" },
  });
  await ask("PUT", `${origin}/api${path}/members/${id}`, { headers, body: { role: "member" } });
  const { access_token } = await ask<{ access_token: string }>("POST", `${origin}/api/auth/login`, {
    body: person,
  });
  return { authorization: `Bearer ${access_token}` };
}

async function openStreams({ server, viewer, signal }: Scene): Promise<void> {
  const url = `${server.origin}/api/events/stream?after=0`;
  await Promise.all(times(STREAMS, () => fetch(url, { headers: viewer, signal })));
  await new Promise((over) => signal.addEventListener("abort", over));
}

async function readRareTypes({ server, viewer, signal }: Scene): Promise<void> {
  const url = `${server.origin}/api/events?after=0&limit=500&types=webhook.disabled`;
  await Promise.all(times(PAGES, () => send("GET", url, { headers: viewer, signal })));
}

async function trySignIns({ server, signal }: Scene): Promise<void> {
  let left = REFUSED;
  const tryOne = () =>
    send("POST", `${server.origin}/api/auth/login`, {
      body: { email: "nobody@example.test", password: "a wrong password" },
      signal,
    });
  await Promise.all(times(AT_ONCE, async () => {
    while (left-- > 0) await tryOne();
  }));
}

async function sendLong({ server, tenant, admin, signal }: Scene, door: string, part: string): Promise<void> {
  const list = `[${`${part},`.repeat(Math.floor(LONG_BYTES / (part.length + 1)))}0]`;
  const [path, raw] = door === "trpc"
    ? ["/trpc/transfers.import", `{"json":{"id":"${tenant.projectId}","records":${list}}}`]
    : [`/api${tenant.path}/import`, `{"records":${list}}`];
  await Promise.all(times(3, () => send("POST", server.origin + path, { headers: admin, raw, signal })));
}
