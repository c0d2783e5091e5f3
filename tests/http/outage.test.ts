import { afterEach, beforeEach, expect, inject, test } from "vitest";
import { administer, copyTemplate, dropPlace, nameOf, type Place, serverUrl } from "../database.ts";
import { next, ticketInput } from "../factories.ts";
import { type ServiceProcess, startService } from "../service_process.ts";
import { startTcpProxy, targetOf, type TcpProxy, throughProxy } from "../tcp_proxy.ts";
import { until } from "../until.ts";
import { expectError } from "./_calls.ts";

const ADMIN = { email: "root@example.test", password: "the first admin's password" };
const env = { ADMIN_EMAIL: ADMIN.email, ADMIN_PASSWORD: ADMIN.password };

let place: Place;
let service: ServiceProcess;
let proxy: TcpProxy | undefined;
let headers: Record<string, string>;
let tickets: string;

beforeEach(async () => {
  place = await copyTemplate(inject("template"));
  proxy = place.url ? startTcpProxy(targetOf(place.url)) : undefined;
  service = await start();
  const { body: pair } = await service.call("POST", "/api/auth/login", { body: ADMIN });
  headers = { authorization: `Bearer ${pair.access_token}` };
  const { body: project } = await service.call("POST", "/api/projects", {
    headers,
    body: { name: "Outage" },
  });
  tickets = `/api/projects/${project.id}/tickets`;
});
afterEach(async () => {
  proxy?.close();
  await service.stop();
  await dropPlace(place);
});

function start(): Promise<ServiceProcess> {
  return startService({ ...place, ...(proxy && { url: throughProxy(place.url!, proxy) }) }, env);
}

async function create() {
  return await service.call("POST", tickets, {
    headers,
    body: ticketInput({ idempotency_key: `key ${next()}` }),
  });
}

async function titles(): Promise<string[]> {
  const { body } = await service.call("GET", `${tickets}?limit=200&sort=created_at`, { headers });
  return body.tickets.map(({ title }: { title: string }) => title);
}

/** Creates this number of tickets and returns their titles. */
async function createSome(count: number): Promise<string[]> {
  const made: string[] = [];
  for (let i = 0; i < count; i++) {
    const { status, body } = await create();
    expect(status).toBe(201);
    made.push(body.ticket.title);
  }
  return made;
}

/**
 * A server that lets nobody in refuses a connection with FATAL, as it does for a wrong password.
 */
async function letIn(anybody: boolean): Promise<void> {
  await alterDatabase(`allow_connections ${anybody}`, { anew: !anybody });
}

/**
 * Open connections stay as they are. So does a connection to a former primary when the name leads
 * to the new one.
 */
async function takeWrites(any: boolean): Promise<void> {
  await alterDatabase(`set default_transaction_read_only = ${!any}`, { anew: !any });
}

/** On request, also ends the connections of all clients. */
async function alterDatabase(change: string, { anew }: { anew: boolean }): Promise<void> {
  const name = nameOf(place.url!);
  await administer(async (sql) => {
    await sql.unsafe(`alter database ${name} ${change}`);
    if (anew) await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`;
  });
}

const OUTAGES: [string, { begin(): unknown; end(): unknown }][] = [
  ["refuses", { begin: () => proxy!.refuse(), end: () => proxy!.accept() }],
  ["ends what has just connected", { begin: () => proxy!.cutQueries(), end: () => proxy!.passQueries() }],
  ["swallows", { begin: () => proxy!.hold(), end: () => proxy!.release() }],
  ["lets nobody in", { begin: () => letIn(false), end: () => letIn(true) }],
  ["takes no writes", { begin: () => takeWrites(false), end: () => takeWrites(true) }],
];

if (serverUrl) {
  test.each(OUTAGES)(
    "a database that %s gives 503 unavailable, and the service is back when it is",
    async (_, outage) => {
      const before = await createSome(5);
      await outage.begin();
      const refused = await until(async () => {
        const answer = await create();
        return answer.status === 503 && answer;
      });
      expectError(refused, 503, "unavailable");
      expect(refused.headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
      // Until the loss is known, a 503 comes from a connection that was ended. A server that takes
      // no writes still answers reads.
      const answers = await until(async () => {
        const all = [
          await service.call("GET", tickets, { headers }),
          await service.call("POST", "/api/auth/login", { body: ADMIN }),
          await service.call("POST", "/api/auth/refresh", { body: { refresh_token: "x" } }),
          await service.call("GET", tickets, { headers }),
        ];
        return all.every(({ status }) => status === 503) && all;
      });
      for (const answer of answers) expectError(answer, 503, "unavailable");
      // The process itself works, and names the missing part.
      expect((await service.call("GET", "/healthz")).status).toBe(200);
      expect(await service.call("GET", "/readyz")).toMatchObject({
        status: 503,
        body: { database: "unavailable" },
      });

      await outage.end();
      await until(async () => (await create()).status === 201);
      expect((await service.call("GET", "/readyz")).status).toBe(200);
      const after = await titles();
      // Each acknowledged ticket is there once. A refused one may be there too. Nobody can know, so
      // callers send keys.
      expect(after).toEqual(expect.arrayContaining(before));
      expect(new Set(after).size).toBe(after.length);
    },
  );
} else {
  test("an embedded database that dies ends the process with its reason, and the next one has all that was acknowledged", async () => {
    const acknowledged = await createSome(20);
    // This is a message that no client sends. The engine answers FATAL and can't be used any more.
    const socket = await Deno.connect({ transport: "unix", path: `${place.dataDir}/db.sock` });
    await socket.write(new Uint8Array(["z".charCodeAt(0), 0, 0, 0, 4]));
    expect(await service.ended()).toBe(70);
    socket.close();
    expect(service.output).toContain("the embedded database ended");
    service = await start();
    const after = await titles();
    expect(after).toEqual(acknowledged);
    expect((await create()).status).toBe(201);
  });
}
