import { setTimeout as pause } from "node:timers/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { v7 as uuid } from "uuid";
import { makeKey, makeProject, makeUser, type TestProject, type TestUser, useProject } from "../factories.ts";
import { type CallOptions, useHarness } from "../harness.ts";
import { strainOf } from "../observe_process.ts";

const harness = useHarness();
const project = useProject(harness);

const MIB = 1024 * 1024;
/**
 * The attacks kept the process silent for 30 to 500 times as long as it takes to read 16 MiB of one
 * text.
 */
const TIMES_AS_LONG = 10;

let stranger: TestUser;
let foreign: TestProject;
let bearableMs: number;
beforeAll(async () => {
  const text = new TextEncoder().encode(`"${"x".repeat(16 * MIB)}"`);
  const started = performance.now();
  JSON.parse(new TextDecoder().decode(text));
  bearableMs = Math.max(1_000, TIMES_AS_LONG * (performance.now() - started));
  stranger = await makeUser(harness.now);
  foreign = await makeProject(harness.now);
});

/** Bodies that cost much for their length: nesting, empty objects, keys, digits. */
const COSTLY: [string, (bytes: number) => string][] = [
  ["nested lists", (bytes) => "[".repeat(bytes / 2) + "]".repeat(bytes / 2)],
  ["nested objects", (bytes) => '{"0":'.repeat(bytes / 6) + "1" + "}".repeat(bytes / 6)],
  ["empty objects", (bytes) => `[${"{},".repeat(bytes / 3)}{}]`],
  ["numbers", (bytes) => `[${"0,".repeat(bytes / 2)}0]`],
  ["one text", (bytes) => `"${"x".repeat(bytes)}"`],
  ["one number", (bytes) => `${"1".padEnd(17, "0")}.${"0".repeat(bytes - 19)}1`],
  ["one name", (bytes) => `{"${"x".repeat(bytes - 6)}":0}`],
];

/** A body that counts how much of it is read. */
function counted(text: string) {
  const bytes = new TextEncoder().encode(text);
  const taken = { bytes: 0 };
  const raw = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      // The body comes in parts as from a network, with other work of the process in between.
      await pause(0);
      const part = bytes.slice(taken.bytes, taken.bytes + 64 * 1024);
      taken.bytes += part.length;
      if (part.length > 0) controller.enqueue(part);
      else controller.close();
    },
  }, { highWaterMark: 0 });
  return { raw, taken };
}

async function attack(path: string, body: string, options: CallOptions) {
  const { raw, taken } = counted(body);
  const headers = { "content-type": "application/json", ...options.headers };
  const { result, silentMs } = await strainOf(async () => {
    const response = await harness.now.request("POST", path, { ...options, raw, headers });
    await response.body?.cancel();
    return response.status;
  });
  return { status: result, read: taken.bytes, silentMs };
}

describe.each(COSTLY)("16 MiB of %s", (_, costly) => {
  const records = costly(16 * MIB - 200);

  test("are not read over REST for who may not import into the project", async () => {
    const token = stranger.token;
    const path = `/api${foreign.path}/import`;
    const { status, read, silentMs } = await attack(path, `{"records":${records}}`, { token });
    expect([status, read]).toEqual([403, 0]);
    expect(silentMs).toBeLessThan(bearableMs);
  });

  test.each([["transfers.import?batch=1", '{"0":{"json":', "}}"], ["transfers.import", '{"json":', "}"]])(
    "are read over tRPC only as far as any call's for who may not import: %s",
    async (path, open, close) => {
      const token = stranger.token;
      const input = (id: string) => `${open}{"id":"${id}","records":${records}}${close}`;
      for (const id of [foreign.id, uuid()]) {
        const { status, read, silentMs } = await attack(`/trpc/${path}`, input(id), { token });
        expect(status).toBe(403);
        expect(read).toBeLessThanOrEqual(MIB / 2);
        expect(silentMs).toBeLessThan(bearableMs);
      }
      const hidden = `${open}{"records":${records},"id":"${project.id}"}${close}`;
      const behind = await attack(`/trpc/${path}`, hidden, { token: project.admin.token });
      expect(behind.status).toBe(413);
      expect(behind.read).toBeLessThanOrEqual(MIB / 2);
    },
  );

  test("are no batch, even for a user who may import", async () => {
    const part = `{"json":{"id":"${project.id}","records":${records}}}`;
    const both = `{"0":${part},"1":${part}}`;
    const path = "/trpc/transfers.import,transfers.import?batch=1";
    const { status, read, silentMs } = await attack(path, both, { token: project.admin.token });
    expect(status).toBe(413);
    expect(read).toBeLessThanOrEqual(1.5 * MIB);
    expect(silentMs).toBeLessThan(bearableMs);
  });

  test("are refused soon to an admin of the project", async () => {
    const { token } = project.admin;
    const calls = [
      [`/api${project.path}/import`, `{"records":${records}}`],
      ["/trpc/transfers.import", `{"json":{"id":"${project.id}","records":${records}}}`],
    ] as const;
    for (const [path, body] of calls) {
      const { status, silentMs } = await attack(path, body, { token });
      expect([400, 413]).toContain(status);
      expect(silentMs).toBeLessThan(bearableMs);
    }
  });
});

describe.each(COSTLY)("1 MiB of %s", (_, costly) => {
  test("costs nothing where nobody is signed in", async () => {
    const body = `{"0":{"json":${costly(MIB - 100)}}}`;
    for (const name of ["tickets.create", "tickets.create,tasks.create"]) {
      const { status, read } = await attack(`/trpc/${name}?batch=1`, body, {});
      expect([status, read]).toEqual([401, 0]);
    }
    const open = await attack("/trpc/auth.login?batch=1", body, {});
    expect(open.status).toBe(413);
    expect(open.read).toBeLessThanOrEqual(MIB / 2);
  });

  test("is soon refused in a batch of somebody without any right", async () => {
    const body = `{"0":{"json":{}},"1":{"json":${costly(MIB - 100)}}}`;
    const path = "/trpc/tickets.create,tickets.create?batch=1";
    const { status, silentMs } = await attack(path, body, { token: stranger.token });
    expect([400, 413]).toContain(status);
    expect(silentMs).toBeLessThan(bearableMs);
  });
});

describe.each(COSTLY)("as much as a call of nobody may send, of %s", (_, costly) => {
  const value = costly(MIB / 4 - 100);

  test.each([
    ["/api/auth/login", `{"email":${value}}`],
    ["/api/surveys/none/responses", `{"answers":${value}}`],
    ["/trpc/auth.login", `{"json":{"email":${value}}}`],
    ["/trpc/auth.login", `{"json":{},"meta":{"values":${value}}}`],
  ])("is soon refused by %s", async (path, body) => {
    const { status, silentMs } = await attack(path, body, {});
    expect([400, 404, 413]).toContain(status);
    expect(silentMs).toBeLessThan(bearableMs);
  });

  test("is soon refused to an agent", async () => {
    const { token } = await makeKey(harness.now, stranger);
    const accept = "application/json, text/event-stream";
    const params = `{"name":"find_tickets","arguments":{"project":"X","q":${value}}}`;
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`;
    const { status, silentMs } = await attack("/mcp", body, { token, headers: { accept } });
    expect([200, 400, 413]).toContain(status);
    expect(silentMs).toBeLessThan(bearableMs);
  });
});

test("long bodies of one user are read one after the other, and hold up nobody else", async () => {
  const { token } = project.admin;
  const path = `/api${project.path}/import`;
  const headers = { "content-type": "application/json" };
  const open = Promise.withResolvers<void>();
  const slow = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      await open.promise;
      controller.enqueue(new TextEncoder().encode("{}"));
      controller.close();
    },
  });
  const first = harness.now.request("POST", path, { token, raw: slow, headers });
  const { raw, taken } = counted(`{"records":"${"x".repeat(MIB)}"}`);
  const second = harness.now.request("POST", path, { token, raw, headers });
  const other = await makeUser(harness.now, { accountId: project.accountId, role: "admin" });
  const beside = await harness.now.call("POST", `${project.path}/import`, {
    token: other.token,
    body: { records: ["x".repeat(MIB)] },
  });
  expect([beside.status, taken.bytes]).toEqual([400, 0]);
  open.resolve();
  expect([(await first).status, (await second).status]).toEqual([400, 400]);
  expect(taken.bytes).toBeGreaterThan(MIB);
});
