import { expect, test } from "vitest";
import { newApiKey } from "../../src/core/tokens.ts";
import { makeKey, makeUser } from "../factories.ts";
import { useHarness } from "../harness.ts";
import { Document } from "../http/document.ts";

const harness = useHarness();

test("every answer to a key tells how much it may still ask", async () => {
  const key = await makeKey(harness.now, await makeUser(harness.now));
  const first = await harness.now.call("GET", "/auth/me", { token: key.token });
  const second = await harness.now.call("GET", "/auth/me", { token: key.token });
  expect(first.headers.get("RateLimit-Policy")).toBe('"key";q=12000;w=60');
  expect(first.headers.get("RateLimit")).toMatch(/^"key";r=11999;t=\d+$/);
  expect(second.headers.get("RateLimit")).toMatch(/^"key";r=11998;t=\d+$/);
});

test("an address that tries keys out is refused after 60 a minute, others are not", async () => {
  const guess = (address: string) => harness.now.call("GET", "/auth/me", { token: newApiKey().key, address });
  const answers = [];
  for (let attempt = 0; attempt < 61; attempt++) answers.push(await guess("198.51.100.7"));
  expect(answers.slice(0, 60).map(({ status }) => status)).toEqual(Array(60).fill(401));
  const refused = answers[60]!;
  expect([refused.status, refused.body.code]).toEqual([429, "rate_limited"]);
  expect((await Document.of(harness.now)).faultsOfAnswer("GET", "/auth/me", refused)).toEqual([]);
  expect(refused.headers.get("Retry-After")).toBe(String(refused.body.retryAfter));
  expect((await guess("198.51.100.8")).status).toBe(401);
});
