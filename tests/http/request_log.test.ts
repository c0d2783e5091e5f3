import { expect, test } from "vitest";
import { makeUser } from "../factories.ts";
import { useHarness } from "../harness.ts";
import { logged } from "../logged.ts";

const harness = useHarness({ env: { STRIPE_WEBHOOK_SECRET: "whsec_payment_of_the_tests" } });

/** Returns the log lines of the requests that `work` makes. */
async function linesOf(work: () => Promise<unknown>): Promise<Record<string, unknown>[]> {
  const lines = (await logged(work)).trim().split("\n").map((line) => JSON.parse(line));
  return lines.filter(({ message }) => message === "request");
}

test("a request's line says why it was refused, as its answer does", async () => {
  const { now } = harness;
  const names = ["auth.me", "projects.get"];
  const lines = await linesOf(async () => {
    await now.request("GET", "/healthz");
    await now.call("POST", "/webhooks/payment-provider", { body: { id: "evt_1" } });
    await now.call("GET", "/projects");
    await now.call("POST", "/auth/login", { raw: "{", headers: { "content-type": "application/json" } });
    await now.call("GET", "/nothing/there");
    await now.request("GET", `/trpc/${names}?batch=1&input=${encodeURIComponent('{"0":{},"1":{}}')}`);
    await now.request("PUT", "/trpc/auth.login");
  });
  expect(lines.map(({ status, code }) => [status, code])).toEqual([
    [200, undefined],
    [400, "invalid_signature"],
    [401, "unauthenticated"],
    [400, "invalid_json"],
    [404, "not_found"],
    [401, "unauthenticated"],
    [405, "method_not_allowed"],
  ]);
});

test("a request has one line and one id, be its path one that names all paths", async () => {
  const answers: { id: string | null; body: { requestId: string } }[] = [];
  const lines = await linesOf(async () => {
    for (const [method, path] of [["GET", "/*"], ["OPTIONS", "/*"], ["GET", "/api/*"]] as const) {
      const response = await harness.now.request(method, path);
      answers.push({ id: response.headers.get("x-request-id"), body: await response.json() });
    }
  });
  expect(answers.map(({ body }) => body.requestId)).toEqual(answers.map(({ id }) => id));
  expect(lines.map(({ request_id }) => request_id)).toEqual(answers.map(({ id }) => id));
});

test("a call of a feature that isn't set up is no error in the log, and brings no stack", async () => {
  const admin = await makeUser(harness.now, { role: "admin" });
  let status = 0;
  const log = await logged(async () => {
    const body = { return_url: "https://portal.example/billing" };
    ({ status } = await harness.now.call("POST", "/billing/portal", { token: admin.token, body }));
  });
  expect(status).toBe(503);
  const lines = log.trimEnd().split("\n").map((line) => JSON.parse(line));
  expect(lines.map(({ level, message }) => [level, message]).toSorted()).toEqual([
    ["info", "not set up"],
    ["info", "request"],
  ]);
  expect(log).not.toContain("stack");
});

test("a request's line has no key, token or survey's code that stands in its path", async () => {
  const { token } = await makeUser(harness.now);
  const paths = [
    "keys/hk_0123456789abcdef",
    "surveys/CODE",
    "surveys%2fCODE",
    "survey/CODE",
    "hooks/whsec_CODE+a=",
    `auth/sessions/${token}`,
    `auth/refresh/${"CODE".repeat(11)}`,
  ];
  const lines = await linesOf(async () => {
    for (const path of paths) await harness.now.call("DELETE", `/${path}`);
  });
  expect(lines).toHaveLength(paths.length);
  expect(JSON.stringify(lines)).not.toMatch(/hk_0|CODE/);
  for (const part of token.split(".")) expect(JSON.stringify(lines)).not.toContain(part);
});

test("a request's line has the ids that stand in its path", async () => {
  const path = `/api/projects/${crypto.randomUUID()}/tickets/${crypto.randomUUID()}`;
  const lines = await linesOf(() => harness.now.request("GET", path));
  expect(lines).toMatchObject([{ path }]);
});
