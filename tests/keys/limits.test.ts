import { describe, expect, test } from "vitest";
import { newApiKey } from "../../src/core/tokens.ts";
import { makeKey, makeUser } from "../factories.ts";
import { type Harness, useHarness, useSecondHarness } from "../harness.ts";
import { Document } from "../http/document.ts";
import { until } from "../until.ts";

const harness = useHarness();
const second = useSecondHarness(harness);

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

describe("the limit of a key or an address is one for all processes", () => {
  const share = (one: Harness) => one.services.limits.share();

  test("as soon as they have told each other", async () => {
    const guesses = async (one: Harness, number: number) => {
      const statuses = [];
      for (let n = 0; n < number; n++) {
        const { status } = await one.call("GET", "/auth/me", {
          token: newApiKey().key,
          address: "198.51.100.9",
        });
        statuses.push(status);
      }
      return statuses;
    };
    await guesses(harness.now, 40);
    await share(harness.now);
    await guesses(second.now, 1);
    await share(second.now);
    expect(await guesses(second.now, 20)).toEqual([...Array(19).fill(401), 429]);
    await share(second.now);
    await guesses(harness.now, 1);
    await share(harness.now);
    expect(await guesses(harness.now, 1)).toEqual([429]);
  });

  test("and they do so by themselves, by one statement for all keys", async () => {
    const left = async (one: Harness, { token }: { token: string }) => {
      const { headers } = await one.call("GET", "/auth/me", { token });
      return Number(/r=(\d+)/.exec(headers.get("RateLimit")!)![1]);
    };
    const user = await makeUser(harness.now);
    const keys = await Promise.all([1, 2, 3].map(() => makeKey(harness.now, user)));
    const sent = harness.now.statements.length;
    for (const key of keys) await Promise.all(Array.from({ length: 100 }, () => left(harness.now, key)));
    let own = 0;
    await until(async () => await left(second.now, keys[0]!) < 12_000 - ++own);
    const shares = harness.now.statements.slice(sent).filter((text) => text.includes("rate_limits"));
    expect(shares.length).toBeLessThan(keys.length * 100);
  });

  test("and so it is for an address that a proxy wrote too long", async () => {
    const { sql, services: { limits } } = harness.now;
    const limit = { name: "long", points: 2, seconds: 60 };
    await limits.takeRoughly(limit, "x".repeat(300), new Headers());
    await share(harness.now);
    expect(await sql`select points from rate_limits where key like 'long:%'`).toEqual([{ points: 1 }]);
  });

  test("and while the database refuses, each process counts alone", async () => {
    const { sql, services: { limits } } = harness.now;
    const limit = { name: "alone", points: 2, seconds: 60 };
    const take = () => limits.takeRoughly(limit, "key", new Headers());
    await sql`alter table rate_limits rename to away`;
    await take();
    await share(harness.now);
    await sql`alter table away rename to rate_limits`;
    await take();
    await expect(take()).rejects.toMatchObject({ code: "rate_limited" });
  });

  test.each([["is over", 0], ["began before the clock was set back", 2 ** 50]])(
    "and a minute that %s counts no more",
    async (name, expire) => {
      const { sql, services: { limits } } = harness.now;
      const left = async () => {
        const headers = new Headers();
        await limits.takeRoughly({ name, points: 2, seconds: 60 }, "key", headers);
        return headers.get("RateLimit");
      };
      await sql`insert into rate_limits (key, points, expire) values (${`${name}:key`}, 100, ${expire}::bigint)`;
      expect(await left()).toContain(";r=1;");
      await share(harness.now);
      expect(await sql`select points from rate_limits where key = ${`${name}:key`}`).toEqual([{ points: 1 }]);
      expect(await left()).toContain(";r=0;");
    },
  );
});
