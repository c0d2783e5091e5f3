import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ServiceProcess, startService } from "../service_process.ts";
import { runOps } from "./_command.ts";

const ADMIN = { ADMIN_EMAIL: "ada@example.test", ADMIN_PASSWORD: "a long enough password" };

// Embedded wherever the tests run: a server's files are its own, and pg_dump backs those up.
describe("the embedded database", () => {
  let folder: string;
  let service: ServiceProcess;

  beforeAll(async () => {
    folder = await Deno.makeTempDir({ prefix: "handoff-ops-" });
    service = await startService({ dataDir: `${folder}/data` }, ADMIN);
  });
  afterAll(() => Deno.remove(folder, { recursive: true }));

  test("is backed up while it serves and restored elsewhere, with the secret that signs", async () => {
    const { body: pair } = await service.call("POST", "/api/auth/login", {
      body: { email: ADMIN.ADMIN_EMAIL, password: ADMIN.ADMIN_PASSWORD },
    });
    const headers = { authorization: `Bearer ${pair.access_token}` };
    const made = await service.call("POST", "/api/projects", { headers, body: { name: "Kept" } });
    expect(made.status).toBe(201);
    const backup = await runOps("backup", [`${folder}/taken`], { DATA_DIR: `${folder}/data` });
    expect(backup).toEqual({ code: 0, text: expect.stringContaining("It holds secrets") });
    // It asks the service itself, not what stands before it.
    const beside = await runOps("doctor", [], {
      DATA_DIR: `${folder}/data`,
      PORT: new URL(service.url).port,
      PUBLIC_URL: "https://proxy.invalid",
    });
    expect(beside).toEqual({ code: 0, text: expect.stringContaining("in use by the running service") });
    expect(await service.stop()).toBe(0);

    const restored = await runOps("restore", [`${folder}/taken`], { DATA_DIR: `${folder}/restored` });
    expect(restored).toEqual({ code: 0, text: expect.stringContaining("0 tickets, 0 migrations applied") });
    const copy = await startService({ dataDir: `${folder}/restored` });
    const read = await copy.call("GET", `/api/projects/${made.body.id}`, { headers });
    expect([read.status, read.body.name]).toEqual([200, "Kept"]);
    expect(await copy.stop()).toBe(0);
  });

  test("is told apart from a server, and what is missing is said in one line", async () => {
    const DATABASE_URL = "postgres://nobody@127.0.0.1:1/none";
    const lines = [
      await runOps("backup", [`${folder}/x`], { DATABASE_URL }),
      await runOps("restore", [`${folder}/x`], { DATABASE_URL }),
      await runOps("backup", [], { DATA_DIR: `${folder}/data` }),
      await runOps("restore", [], { DATA_DIR: `${folder}/data` }),
      await runOps("restore", [folder], { DATA_DIR: `${folder}/anew` }),
    ];
    expect(lines.map(({ code }) => code)).toEqual([1, 1, 1, 1, 1]);
    expect(lines.map(({ text }) => text)).toEqual([
      expect.stringContaining("pg_dump"),
      expect.stringContaining("pg_restore"),
      expect.stringContaining("npm run backup -- FOLDER"),
      expect.stringContaining("npm run restore -- FOLDER"),
      expect.stringContaining("is no backup of a database"),
    ]);
    for (const { text } of lines) expect(text).toMatch(/^handoff: [^\n]+\n$/);
  });
});
