import { afterEach, beforeEach, expect, inject, test } from "vitest";
import { copyTemplate, dropPlace, type Place } from "../database.ts";
import { type ServiceProcess, startService, startWithSender } from "../service_process.ts";
import { until } from "../until.ts";

let place: Place;
let running: ServiceProcess[];
beforeEach(async () => {
  place = await copyTemplate(inject("template"));
  running = [];
});
afterEach(async () => {
  for (const service of running) await service.stop();
  await dropPlace(place);
});

async function start(env: Record<string, string> = {}): Promise<ServiceProcess> {
  const service = await startWithSender(place, env);
  running.push(service);
  return service;
}

async function state(service: ServiceProcess) {
  const { status, body } = await service.call("GET", "/readyz");
  return [status, body.status, body.sender];
}

async function sockets(): Promise<string[]> {
  const names = await Array.fromAsync(Deno.readDir(place.dataDir));
  return names.map(({ name }) => name).filter((name) => /^send\.\w{6}$/.test(name)).sort();
}

/** Processes whose command line names a socket. */
async function pidsOf(socket: string): Promise<number[]> {
  const found: number[] = [];
  for await (const { name } of Deno.readDir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const line = await Deno.readTextFile(`/proc/${name}/cmdline`).catch(() => "");
    if (line.includes("src/sending/main.ts") && line.includes(socket)) found.push(Number(name));
  }
  return found;
}

test("a sender that has ended or is stopped is replaced, and until then the service says so", async () => {
  const service = await start();
  await until(async () => (await state(service))[2] === "ready");
  const [socket] = await sockets();
  const [first] = await pidsOf(socket!);
  Deno.kill(first!, "SIGSTOP");
  expect(await state(service)).toEqual([200, "degraded", "silent"]);
  await until(async () => (await state(service))[2] === "ready", 180);
  const [second] = await pidsOf(socket!);
  expect(second).not.toBe(first);
  Deno.kill(second!, "SIGKILL");
  await until(async () => !(await pidsOf(socket!)).includes(second!));
  await until(async () => (await state(service))[2] === "ready");
  // The socket is taken away from its sender, as by somebody who cleans the folder.
  await Deno.remove(`${place.dataDir}/${socket}`);
  expect(await state(service)).toEqual([200, "degraded", "silent"]);
  await until(async () => (await state(service))[2] === "ready");
  expect((await pidsOf(socket!)).filter((pid) => pid === first || pid === second)).toEqual([]);
});

test("a service that was started without a sender says that it sends nothing", async () => {
  const service = await startService(place);
  running.push(service);
  expect(await state(service)).toEqual([200, "degraded", "silent"]);
});

test("the sender has no secrets in its environment", async () => {
  const AUTH_SECRET = "a secret of more than 32 characters";
  const service = await start({ AUTH_SECRET, SMTP_URL: "smtp://nobody:word@127.0.0.1:1" });
  await until(async () => (await state(service))[2] === "ready");
  const [socket] = await sockets();
  const [pid] = await pidsOf(socket!);
  const names = (await Deno.readTextFile(`/proc/${pid}/environ`)).split("\0").map((line) =>
    line.split("=")[0]
  );
  expect(names).toContain("PATH");
  expect(names.filter((name) => /SECRET|URL|KEY|PASSWORD|DATA_DIR/.test(name!))).toEqual([]);
});

test("a folder that a first start was given is closed to other users", async () => {
  const dataDir = await Deno.makeTempDir();
  await Deno.chmod(dataDir, 0o755);
  const service = await startWithSender({ ...place, dataDir });
  running.push(service);
  expect((await Deno.stat(dataDir)).mode! & 0o777).toBe(0o700);
});

test("two services with one folder have a sender each, and the end of one leaves the other's alone", async () => {
  if (!place.url) {
    // The embedded database has one process.
    await start();
    return expect(await sockets()).toHaveLength(1);
  }
  const [one, other] = [await start(), await start()];
  await until(async () => (await sockets()).length === 2);
  await other.stop();
  running = [one];
  await until(async () => (await sockets()).length === 1);
  expect(await state(one)).toEqual([200, "ready", "ready"]);
  // The next start removes a file that a killed process has left.
  await Deno.writeTextFile(`${place.dataDir}/send.000000.lock`, "");
  await start();
  expect([...Deno.readDirSync(place.dataDir)].map(({ name }) => name)).not.toContain("send.000000.lock");
});
