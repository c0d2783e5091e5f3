import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, expect, inject, test } from "vitest";
import { LOOK_SECONDS } from "../../db/queue.ts";
import { copyTemplate, dropPlace, type Place } from "../database.ts";
import { ticketInput } from "../factories.ts";
import { launchService, type ServiceProcess, startService } from "../service_process.ts";
import { until } from "../until.ts";

const ADMIN = { email: "root@example.test", password: "the first admin's password" };
const ENV = { ADMIN_EMAIL: ADMIN.email, ADMIN_PASSWORD: ADMIN.password };
const QUEUE = "analyze-project";

let place: Place;
let running: ServiceProcess[];
beforeEach(async () => {
  place = await copyTemplate(inject("template"));
  running = [];
});
afterEach(async () => {
  for (const service of running) await end(service);
  await dropPlace(place);
});

async function serve(): Promise<ServiceProcess> {
  const service = await startService(place, { ...ENV, JOBS: "off" });
  running.push(service);
  return service;
}

/** A process that only runs jobs has no HTTP, so the test reads its output. */
async function work(): Promise<ServiceProcess> {
  const worker = launchService(place, { ...ENV, JOBS: "only" });
  running.push(worker);
  await until(() => worker.output.includes("runs its jobs"));
  return worker;
}

async function end(service: ServiceProcess): Promise<number> {
  running = running.filter((one) => one !== service);
  return await service.stop();
}

/** Names of the queues whose jobs a process has run, by its log. */
function ran({ output }: ServiceProcess): string[] {
  return output.split("\n").filter((line) => line.startsWith("{")).map((line) => JSON.parse(line))
    .filter(({ message }) => message === "job").map(({ queue }) => queue);
}

async function caller(service: ServiceProcess) {
  const { body: pair } = await service.call("POST", "/api/auth/login", { body: ADMIN });
  const headers = { authorization: `Bearer ${pair.access_token}` };
  return async (method: string, path: string, body?: unknown) => {
    const answer = await service.call(method, `/api${path}`, { headers, body });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.body;
  };
}

type Call = Awaited<ReturnType<typeof caller>>;

async function countsOf(call: Call): Promise<Record<string, number>> {
  const { queues } = await call("GET", "/admin/queues");
  const { waiting, active, failed, completed } = queues.find(({ name }: { name: string }) => name === QUEUE);
  return { waiting, active, failed, completed };
}

test("JOBS=off serves and runs no job; JOBS=only runs what waits and serves nothing", async () => {
  const server = await serve();
  expect((await server.call("GET", "/readyz")).body).toMatchObject({ status: "ready", jobs: "off" });
  const call = await caller(server);
  const project = `/projects/${(await call("POST", "/projects", { name: "Split" })).id}`;
  await call("POST", `${project}/tickets`, ticketInput());
  const asked = await call("POST", `${project}/ai-suggestions/analysis`);
  expect(asked.finished_at).toBeNull();
  // This is twice the time that a job waits for a worker.
  await pause(2 * LOOK_SECONDS * 1000);
  expect(await countsOf(call)).toEqual({ waiting: 1, active: 0, failed: 0, completed: 0 });
  expect(ran(server)).toEqual([]);

  if (!place.url) {
    // The embedded database has one process, which can't leave the serving to another one.
    expect(await end(server)).toBe(0);
    const worker = launchService(place, { ...ENV, JOBS: "only" });
    expect(await worker.ended()).toBe(1);
    expect(worker.output).toMatch(/^handoff: JOBS: only is for a process beside others.*\n$/);
    return;
  }
  const worker = await work();
  await until(() => ran(worker).includes(QUEUE));
  await expect(fetch(`${worker.url}/healthz`)).rejects.toThrow(TypeError);
  await expect(fetch(`${worker.url}/api/openapi.json`)).rejects.toThrow(TypeError);
  expect(await end(worker)).toBe(0);
  expect(ran(worker).filter((queue) => queue === QUEUE)).toEqual([QUEUE]);
  expect(await countsOf(call)).toEqual({ waiting: 0, active: 0, failed: 0, completed: 1 });
  const analysis = await call("GET", `${project}/ai-suggestions/analysis`);
  expect(analysis).toMatchObject({ state: "idle", waiting: 0, total: 1, done: 1 });
  expect(analysis.finished_at).toEqual(expect.any(String));
  expect(ran(server)).toEqual([]);
});
