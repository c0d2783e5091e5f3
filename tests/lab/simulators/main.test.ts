import { afterAll, beforeAll, expect, test } from "vitest";
import { freePort } from "../../../ops/launch.ts";
import { runDeno } from "../../run_deno.ts";

let server: Deno.HttpServer<Deno.NetAddr>;
let received: Headers[] = [];
let bodies: string[] = [];
let paths: string[] = [];
let taken = () => new Response("taken");
beforeAll(() => {
  server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    received.push(request.headers);
    paths.push(new URL(request.url).pathname);
    bodies.push(await request.text());
    return taken();
  });
});
afterAll(() => server.shutdown());

const RECEIVER = ["receiver", "--secret", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"];

function simulate(...args: string[]) {
  received = [];
  bodies = [];
  paths = [];
  const url = `http://127.0.0.1:${server.addr.port}`;
  return runDeno(["run", "-A", "lab/simulators/main.ts", "--url", url, ...args], {
    env: { CLOUD_AGENT_WEBHOOK_SECRET: "one", STRIPE_WEBHOOK_SECRET: "another" },
  });
}

test("what happened earlier is signed when it is sent, as the payment provider does", async () => {
  const at = "2026-11-20T10:00:00Z";
  const { code, stderr } = await simulate("payment", "--account", crypto.randomUUID(), "--at", at);
  expect([code, stderr]).toEqual([0, ""]);
  const dates = received.map((headers) => Number(/^t=(\d+),/.exec(headers.get("stripe-signature")!)?.[1]));
  expect(dates).toHaveLength(3);
  expect(Math.min(...dates)).toBeGreaterThan(Date.parse(at) / 1000);
});

test("the events of two checkouts at one time are different ones, and a repeat is the same", async () => {
  const ids: string[] = [];
  for (const customer of ["cus_1", "cus_2"]) {
    const at = ["--at", "2026-11-20T10:00:00Z", "--repeat", "2"];
    await simulate("payment", "--account", crypto.randomUUID(), "--customer", customer, ...at);
    ids.push(...bodies.map((body) => JSON.parse(body).id));
  }
  expect([ids.length, new Set(ids).size]).toEqual([12, 6]);
});

test("a delivery is sent as often as asked for", async () => {
  expect((await simulate("agent", "--agent", "bc_1", "--repeat", "3")).code).toBe(0);
  expect(received.length).toBe(3);
});

test("the service's address may end in a slash or in the path of its interface", async () => {
  for (const end of ["", "/", "/api"]) {
    const url = `http://127.0.0.1:${server.addr.port}${end}`;
    expect((await simulate("agent", "--agent", "bc_1", "--url", url)).code).toBe(0);
    expect(paths, end).toEqual(["/api/webhooks/cloud-agent"]);
  }
});

test("help is given when it is asked for", async () => {
  const { code, stdout, stderr } = await simulate("--help");
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toContain("npm run simulate -- agent");
});

test.each([
  [["--colour", "red"], /^Unknown option '--colour'\n/],
  [["agent", "--agent", "--pr"], /^Option '--agent' argument is ambiguous\n/],
  [["agent", "--agent", "bc_1", "--at", "yesterday"], /^--at takes a time such as /],
  [["agent", "--agent", "bc_1", "--repeat", "x"], /^--repeat takes a number from 1\n/],
  [["agent"], /^--agent is missing\n/],
  [["nobody"], /^Name a sender, which is agent, payment or deploy, or the receiver\n/],
  [["agent", "bc_1"], /^Unexpected argument 'bc_1'\n/],
  [["agent", "--agent", "bc_1", "--url", "localhost:3000"], /^--url takes an address such as /],
  [["receiver"], /^--secret is missing/],
  [["receiver", "--secret", "a secret"], /^--secret takes the webhook's secret/],
  [[...RECEIVER, "--port", "x"], /^--port takes a number from 1 to 65535\n/],
  [[...RECEIVER, "--port", "65536"], /^--port takes a number/],
  [[...RECEIVER, "--fail", "500,no"], /^--fail takes statuses such as /],
  [[...RECEIVER, "--fail", "101"], /^--fail takes statuses such as /],
  [[...RECEIVER, "more"], /^Unexpected argument 'more'\n/],
])("%j is told what is wrong, and what is allowed", async (args, reason) => {
  const { code, stderr } = await simulate(...args);
  expect([code, stderr]).toEqual([2, expect.stringMatching(reason)]);
  expect(stderr).toContain("npm run simulate -- agent");
  expect(stderr).not.toContain("at file:");
  expect(received).toEqual([]);
});

test("a receiver whose port is taken says so in one line", async () => {
  const { code, stderr } = await simulate(...RECEIVER, "--port", String(server.addr.port));
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/^simulate: cannot listen on 127\.0\.0\.1:\d+: Address already in use .*\n$/),
  ]);
});

test("a service that isn't there is said in one line", async () => {
  const url = `http://127.0.0.1:${freePort()}`;
  const { code, stderr } = await simulate("agent", "--agent", "bc_1", "--url", url);
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^simulate: [^\n]+\n$/)]);
  expect(stderr).toContain(url);
});

test.each([
  ["ignored; reason=unknown_agent", { ok: true }, "no agent run has this id"],
  ["ignored; reason=a_new_word", { ok: true }, "a_new_word"],
  ["repeated", { ok: true }, "this delivery had come before"],
  ["applied", { ok: true }, null],
  [
    null,
    { stamped: 0, closed: 0, ignored: true, reason: "unknown_repo" },
    "no project is wired to this repository",
  ],
  [null, { stamped: 0, closed: 0, ignored: false }, "no ticket with this merge_sha waited for it"],
  [null, { stamped: 1, closed: 0, ignored: false }, null],
])("an answer of %s with %j is told in words where nothing happened", async (outcome, body, why) => {
  taken = () => Response.json(body, { headers: outcome === null ? {} : { "delivery-outcome": outcome } });
  const { code, stdout } = await simulate("agent", "--agent", "bc_1");
  taken = () => new Response("taken");
  expect(code).toBe(0);
  expect(stdout.includes("nothing happened")).toBe(why !== null);
  if (why) expect(stdout).toContain(`nothing happened: ${why}`);
});
