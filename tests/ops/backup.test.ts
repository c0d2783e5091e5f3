import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { copyTemplate } from "../database.ts";
import { type ServiceProcess, startService } from "../service_process.ts";
import { runOps, startOps } from "./_command.ts";
import { until } from "../until.ts";

const ADMIN = { ADMIN_EMAIL: "ada@example.test", ADMIN_PASSWORD: "a long enough password" };

// A server's files are its own, and pg_dump backs those up.
describe("the embedded database", () => {
  let folder: string;
  let service: ServiceProcess;

  beforeAll(async () => {
    folder = await Deno.makeTempDir({ prefix: "handoff-ops-" });
    service = await startService(await copyTemplate(inject("template"), `${folder}/data`), ADMIN);
  });
  afterAll(() => Deno.remove(folder, { recursive: true }));

  test("is backed up while it serves and restored elsewhere, with the secret that signs", async () => {
    const { body: pair } = await service.call("POST", "/api/auth/login", {
      body: { email: ADMIN.ADMIN_EMAIL, password: ADMIN.ADMIN_PASSWORD },
    });
    const headers = { authorization: `Bearer ${pair.access_token}` };
    const made = await service.call("POST", "/api/projects", { headers, body: { name: "Kept" } });
    expect(made.status).toBe(201);
    const talk = await converse(service, `/api/projects/${made.body.id}`, headers);
    const backup = await runOps("backup", [`${folder}/taken`], { DATA_DIR: `${folder}/data` });
    expect(backup).toEqual({ code: 0, text: expect.stringContaining("It holds secrets") });
    // The command asks the service itself, and not a proxy in front of it.
    const beside = await runOps("doctor", [], {
      DATA_DIR: `${folder}/data`,
      PORT: new URL(service.url).port,
      PUBLIC_URL: "https://proxy.invalid",
    });
    // The service runs here without its sender, which the doctor calls wrong.
    expect(beside).toEqual({ code: 1, text: expect.stringContaining("in use by a service") });
    expect(await service.stop()).toBe(0);

    const restored = await runOps("restore", [`${folder}/taken`], { DATA_DIR: `${folder}/restored` });
    expect(restored).toEqual({
      code: 0,
      text: expect.stringMatching(/: 1 ticket, 0 migrations applied\.\n$/),
    });
    const copy = await startService({ dataDir: `${folder}/restored` }, { PUBLIC_URL: service.url });
    const read = await copy.call("GET", `/api/projects/${made.body.id}`, { headers });
    expect([read.status, read.body.name]).toEqual([200, "Kept"]);
    expect(await talk.read(copy)).toEqual(talk.before);
    expect(await talk.answer(copy)).toBe("answered");
    expect(await copy.stop()).toBe(0);
  });

  test("leaves the folder free for another backup when one can't be opened", async () => {
    await Deno.mkdir(`${folder}/broken/db/global`, { recursive: true });
    await Deno.writeTextFile(`${folder}/broken/db/PG_VERSION`, "18\n");
    const env = { DATA_DIR: `${folder}/mended` };
    expect(await runOps("restore", ["--unchecked", `${folder}/broken`], env)).toEqual({
      code: 1,
      text: expect.stringMatching(/^handoff: cannot go on: \/.+\/broken can't be used: [^\n]+\n$/),
    });
    expect(await namesIn(`${folder}/mended`)).toEqual(["db.lock"]);
    await Deno.chmod(`${folder}/taken/auth_secret`, 0o644);
    expect(await runOps("restore", [`${folder}/taken`], env)).toMatchObject({ code: 0 });
    expect((await Deno.stat(`${folder}/mended/auth_secret`)).mode! & 0o777).toBe(0o600);
    expect(await namesIn(`${folder}/mended`)).toEqual(["auth_secret", "db", "db.lock"]);
  });

  test.each(["SIGINT", "SIGTERM"] as const)("leaves no half of a backup behind on %s", async (signal) => {
    const home = `${folder}/${signal}`;
    await Deno.mkdir(`${home}/db`, { recursive: true });
    const listener = Deno.listen({ transport: "unix", path: `${home}/backup.sock` });
    const { child, ended } = startOps("backup", [`${home}/taken`], { DATA_DIR: home });
    // This socket simulates a service that never sends its last word.
    const connection = await listener.accept();
    await connection.write(new TextEncoder().encode("ready\n"));
    const heard = new Uint8Array(16);
    await connection.read(heard);
    expect(new TextDecoder().decode(heard)).toContain("done");
    expect(await namesIn(home)).toEqual([
      "backup.sock",
      "db",
      expect.stringMatching(/^taken\.\w+\.unfinished$/),
    ]);
    child.kill(signal);
    expect(await ended).toEqual({ code: 1, text: `handoff: cannot go on: stopped by ${signal}\n` });
    expect(await namesIn(home)).toEqual(["backup.sock", "db"]);
    connection.close();
    listener.close();
  });

  test("is told apart from a server, and what is missing is said in one line", async () => {
    const DATABASE_URL = "postgres://nobody@127.0.0.1:1/none";
    const place = `${folder}/place`;
    await Deno.mkdir(`${place}/db`, { recursive: true });
    await Deno.writeTextFile(`${folder}/file`, "");
    const lines = [
      await runOps("backup", [`${folder}/x`], { DATABASE_URL }),
      await runOps("restore", [`${folder}/x`], { DATABASE_URL }),
      await runOps("backup", [], { DATA_DIR: `${folder}/data` }),
      await runOps("restore", [], { DATA_DIR: `${folder}/data` }),
      await runOps("restore", [folder], { DATA_DIR: `${folder}/anew` }),
      await runOps("restore", [`${folder}/file`], { DATA_DIR: `${folder}/anew` }),
      await runOps("backup", [`${folder}/x`], { DATA_DIR: `${folder}/file` }),
      await runOps("backup", [`${folder}/file/x`], { DATA_DIR: place }),
      await runOps("backup", ["/proc/none/x"], { DATA_DIR: place }),
    ];
    expect(lines.map(({ code }) => code)).toEqual(lines.map(() => 1));
    expect(lines.map(({ text }) => text)).toEqual([
      expect.stringContaining("pg_dump"),
      expect.stringContaining("pg_restore"),
      expect.stringContaining("npm run backup -- FOLDER"),
      expect.stringContaining("npm run restore -- FOLDER"),
      expect.stringContaining("is not a backup of a database"),
      expect.stringContaining(`${folder}/file is not a backup of a database`),
      expect.stringContaining(`There is no embedded database in ${folder}/file`),
      expect.stringContaining(`cannot write to ${folder}/file: `),
      expect.stringContaining("cannot write to /proc/none: No such file or directory"),
    ]);
    for (const { text } of lines) expect(text).toMatch(/^handoff: [^\n]+\n$/);
  });
});

/** An agent of the caller asks and comments, and the caller watches and has a chat hook. */
async function converse(service: ServiceProcess, project: string, headers: Record<string, string>) {
  const done = async (on: ServiceProcess, method: string, path: string, body?: unknown, as = headers) => {
    const answer = await on.call(method, path, { headers: as, ...(body !== undefined && { body }) });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.body;
  };
  const { key } = await done(service, "POST", "/api/keys", { name: "agent" });
  const agent = { authorization: `Bearer ${key}` };
  const draft = {
    title: "A talk",
    description: "What the talk is about",
    request_type: "bug",
    priority: "low",
    blocking: false,
  };
  const { ticket } = await done(service, "POST", `${project}/tickets`, draft);
  const path = `${project}/tickets/${ticket.id}`;
  await done(service, "PUT", `${path}/watch`, {});
  await done(service, "PUT", "/api/settings/notifications", {
    mail: "urgent",
    chat_url: "https://chat.example.com/hooks/c0ffee",
  });
  await done(service, "POST", `${path}/comments`, { body: "A comment" }, agent);
  const question = await done(service, "POST", `${path}/questions`, { prompt: "Which way?" }, agent);
  const places = [
    `${path}/comments`,
    `${path}/questions`,
    `${path}/watchers`,
    "/api/inbox",
    "/api/settings/notifications",
  ];
  const read = (on: ServiceProcess) => Promise.all(places.map((place) => done(on, "GET", place)));
  await until(async () => (await done(service, "GET", "/api/inbox")).notifications.length > 0);
  const before = await read(service);
  expect(before).toMatchObject([
    { comments: [{ body: "A comment" }] },
    { questions: [{ status: "pending" }] },
    { watchers: [{ reason: "manual" }] },
    { notifications: [{ reason: "question", unread: true }] },
    { mail: "urgent", chat_host: "chat.example.com" },
  ]);
  const answer = async (on: ServiceProcess) =>
    (await done(on, "POST", `${path}/questions/${question.id}/answer`, { text: "This way" })).status;
  return { before, read, answer };
}

async function namesIn(folder: string): Promise<string[]> {
  return (await Array.fromAsync(Deno.readDir(folder), ({ name }) => name)).sort();
}
