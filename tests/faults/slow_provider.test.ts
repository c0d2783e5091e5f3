import { afterAll, afterEach, beforeEach, expect, test, vi } from "vitest";
import { makeUser } from "../factories.ts";
import { type Answer, openHarness } from "../harness.ts";

/** Takes every connection and never answers on it. */
const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
const connections: Deno.Conn[] = [];
void (async () => {
  for await (const connection of listener) connections.push(connection);
})();
const provider = `http://127.0.0.1:${listener.addr.port}`;

const harness = await openHarness({
  env: { GITHUB_API_URL: provider, STRIPE_API_URL: provider, STRIPE_SECRET_KEY: "sk_test_slow" },
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

/** The answer, however long it takes by the clock: that is wound on, with a pause for what really happens. */
async function inTime(call: Promise<Answer>): Promise<Answer> {
  let answered = false;
  void call.finally(() => answered = true);
  while (!answered) {
    await vi.advanceTimersByTimeAsync(250);
    await new Promise((resolve) => realTimeout(resolve, 15));
  }
  return await call;
}

test("a code host that never answers is named before the call's time is over", async () => {
  const { token } = await makeUser(harness);
  const { status, body } = await inTime(
    harness.call("PUT", "/integrations/github", { token, body: { token: `ghp_${"a".repeat(36)}` } }),
  );
  expect([status, body.error]).toEqual([503, expect.stringContaining("GitHub did not answer")]);
});

test("a payment provider that never answers is named before the call's time is over", async () => {
  const { token } = await makeUser(harness, { role: "admin" });
  const page = { price: "price_1", success_url: "http://handoff.test/", cancel_url: "http://handoff.test/" };
  const { status, body } = await inTime(harness.call("POST", "/billing/checkout", { token, body: page }));
  expect([status, body.error]).toEqual([503, "The payment provider could not do this now"]);
});
