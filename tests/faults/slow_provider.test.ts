import { afterAll, afterEach, beforeEach, expect, test, vi } from "vitest";
import { encrypt } from "../../src/core/encryption.ts";
import { makeProject, makeUser, type TestUser } from "../factories.ts";
import { type Answer, openHarness } from "../harness.ts";

/** A server that accepts every connection and never answers. */
const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
const connections: Deno.Conn[] = [];
void (async () => {
  for await (const connection of listener) connections.push(connection);
})();
const provider = `http://127.0.0.1:${listener.addr.port}`;

const harness = await openHarness({
  env: {
    GITHUB_API_URL: provider,
    GITHUB_WEBHOOK_SECRET: "hook-secret-of-the-tests",
    STRIPE_API_URL: provider,
    STRIPE_SECRET_KEY: "sk_test_slow",
  },
});
afterAll(async () => {
  listener.close();
  for (const connection of connections) connection.close();
  await harness.close();
});

const realTimeout = setTimeout;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance"] });
  vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(new DOMException("Signal timed out.", "TimeoutError")), ms);
    return controller.signal;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** Moves the clock forward until the answer is there, and returns it. */
async function inTime(call: Promise<Answer>): Promise<Answer> {
  let answered = false;
  void call.finally(() => answered = true);
  await windUntil(() => answered);
  return await call;
}

/** Moves the clock forward, with pauses in which real work can go on. */
async function windUntil(isDone: () => boolean | Promise<boolean>): Promise<void> {
  while (!await isDone()) {
    await vi.advanceTimersByTimeAsync(100);
    await new Promise((resolve) => realTimeout(resolve, 15));
  }
}

async function link({ id }: TestUser): Promise<void> {
  const token = encrypt(harness.services.secrets.encryption, "ghp_slow", `code_hosting_accounts/${id}`);
  await harness.sql`
    insert into code_hosting_accounts (user_id, login, provider_user_id, token) values (${id}, 'slow', 1, ${token})`;
}

test("a code host that never answers is named before the call's time is over", async () => {
  const { token } = await makeUser(harness);
  const { status, body } = await inTime(
    harness.call("PUT", "/integrations/github", { token, body: { token: `ghp_${"a".repeat(36)}` } }),
  );
  expect([status, body.error]).toEqual([503, expect.stringContaining("GitHub did not answer")]);
});

test("a code host that never answers is told of each repository before the call's time is over", async () => {
  const repositories = Array.from({ length: 6 }, (_, at) => `acme/slow-${at}`);
  const { id, admin } = await makeProject(harness, { repositories });
  await link(admin);
  const { status, body } = await inTime(
    harness.call("POST", "/integrations/webhooks", {
      headers: { cookie: `session=${admin.token}` },
      body: { project_id: id },
    }),
  );
  expect([status, body.failed]).toEqual([200, 6]);
  const codes: string[] = body.results.map(({ code }: { code: string }) => code);
  expect(["provider_unavailable", "set_up_in_progress"]).toEqual(expect.arrayContaining(codes));
  // Their turn comes after the first four calls have timed out.
  expect(codes.slice(4)).toEqual(["set_up_in_progress", "set_up_in_progress"]);
  await windUntil(async () => (await harness.sql`select from claims`).length === 0);
});

test("a payment provider that never answers is named before the call's time is over", async () => {
  const { token } = await makeUser(harness, { role: "admin" });
  const page = { price: "price_1", success_url: "http://handoff.test/", cancel_url: "http://handoff.test/" };
  const { status, body } = await inTime(harness.call("POST", "/billing/checkout", { token, body: page }));
  expect([status, body.error]).toEqual([503, "The payment provider could not do this at the moment"]);
});
