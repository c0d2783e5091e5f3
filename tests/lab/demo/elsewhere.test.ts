import { afterAll, beforeAll, expect, test } from "vitest";
import { makeUser, next, ticketInput } from "../../factories.ts";
import { useHarness } from "../../harness.ts";
import { freePort } from "../../../ops/launch.ts";
import { runDeno } from "../../run_deno.ts";

// The demo against a service that others use.
const harness = useHarness();
const PASSWORD = "correct horse battery";
let server: Deno.HttpServer<Deno.NetAddr>;
let folder: string;
let email: string;
beforeAll(async () => {
  folder = await Deno.makeTempDir({ prefix: "handoff-demo-" });
  server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const { pathname, search } = new URL(request.url);
    return await harness.now.request(request.method, pathname + search, {
      headers: Object.fromEntries(request.headers),
      ...(request.body && { raw: await request.text() }),
    });
  });
  const { token } = await makeUser(harness.now, { role: "super_admin" });
  email = `demo${next()}@example.test`;
  const account = await harness.now.call("POST", "/accounts", {
    token,
    body: { name: "Demo", slug: `demo-${next()}` },
  });
  await harness.now.call("POST", "/users", {
    token,
    body: { email, name: "Demo", role: "admin", password: PASSWORD, account_id: account.body.id },
  });
});
afterAll(async () => {
  await server.shutdown();
  await Deno.remove(folder, { recursive: true });
});

/** The demo with these lines as its file; without any, with a file that isn't there. */
async function importLines(name: string, lines?: (object | string)[], ...more: string[]) {
  const path = `${folder}/${name}.jsonl`;
  if (lines) await Deno.writeTextFile(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const service = ["--url", `http://127.0.0.1:${server.addr.port}`, "--email", email, "--password", PASSWORD];
  return await runDeno(["run", "-A", "lab/demo/main.ts", ...service, "--tickets", path, ...more]);
}

async function written() {
  const { sql } = harness.now;
  const projects = await sql<{ name: string; tickets: number }[]>`
    select p.name, (select count(*)::int from tickets t where t.project_id = p.id) as tickets
    from projects p order by p.name`;
  const [rest] = await sql`
    select (select count(*)::int from tasks) as tasks, (select count(*)::int from api_keys) as keys,
      (select count(*)::int from test_cases) as cases, (select count(*)::int from agent_runs) as runs`;
  return { projects: projects.map(({ name, tickets }) => `${name}: ${tickets}`), rest };
}

const NOTHING_ELSE = { tasks: 0, keys: 0, cases: 0, runs: 0 };

test("a file of tickets is imported, and nothing else is written", async () => {
  const { code, stdout, stderr } = await importLines("ours", [ticketInput(), ticketInput()]);
  expect(code, stderr).toBe(0);
  expect(stdout).toContain("Import 2 tickets into ours");
  expect(stdout).toContain("2 created, 0 replayed, 0 refused");
  expect(await written()).toEqual({ projects: ["ours: 2"], rest: NOTHING_ELSE });
  const one = await importLines("ours", [ticketInput()], "--clients", "1");
  expect(one.stdout).toContain("Import 1 ticket into ours (OURS) with 1 client");
});

test("a file that is missing or empty, or whose lines are all refused, is a failure", async () => {
  const before = await written();
  const missing = await importLines("missing");
  expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining("missing.jsonl")]);
  const empty = await importLines("empty", []);
  expect([empty.code, empty.stderr]).toEqual([1, expect.stringContaining("empty.jsonl holds no ticket")]);
  const noPairs = await importLines("pairless", [ticketInput()], "--duplicates", `${folder}/none.jsonl`);
  expect([noPairs.code, noPairs.stderr]).toEqual([1, expect.stringContaining("none.jsonl")]);
  expect(await written(), "no project is made").toEqual(before);
  const refused = await importLines("refused", [{ title: "x" }, "text"]);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("every line was refused")]);
  expect(refused.stdout).toContain("line 2 refused: Not a JSON object");
});

test("a file from Windows is read, and the service's address may end in the path of its interface", async () => {
  const path = `${folder}/windows.jsonl`;
  await Deno.writeTextFile(path, `\ufeff${JSON.stringify(ticketInput())}\r\n\r\n`);
  const url = ["--tickets", path, "--url", `http://127.0.0.1:${server.addr.port}/api`];
  const { code, stdout } = await importLines("other", [ticketInput()], ...url);
  expect([code, stdout]).toEqual([0, expect.stringContaining("Import 1 ticket into windows")]);
});

test("a service that isn't there, or is another program, is told as that", async () => {
  await using other = Deno.serve({ port: 0, onListen() {} }, () => new Response("<!doctype html>"));
  const told = async (url: string) => (await importLines("no", [ticketInput()], "--url", url)).stderr;
  expect(await told(`http://127.0.0.1:${other.addr.port}`)).toContain("is not this service\n");
  expect(await told(`http://127.0.0.1:${freePort()}`)).toContain(": tcp connect error: Connection refused");
  expect(await told("127.0.0.1:3000")).toMatch(/^demo: --url takes an address such as /);
});

test("--help tells how it is called, and does nothing", async () => {
  for (const flag of ["--help", "-h"]) {
    const { code, stdout, stderr } = await runDeno(["run", "-A", "lab/demo/main.ts", flag]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("--tickets FILE");
  }
});
