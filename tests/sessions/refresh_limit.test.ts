import { expect, test } from "vitest";
import { type Answer, openHarness, useHarness, useSecondHarness } from "../harness.ts";
import { freshAddress, login, makePerson, refresh, signIn } from "./sign_in.ts";

const env = { RATE_LIMIT_REFRESH: "3/60" };
const harness = useHarness({ env });
const second = useSecondHarness(harness, { env });

/** Attempts from one address with an unknown token, which are counted, too. */
async function attempts(count: number, address: string): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let i = 0; i < count; i++) answers.push(await refresh(harness.now, "guessed", { address }));
  return answers;
}

/** `"refresh";r=2;t=57` → { r: 2, t: 57 } */
function parameters(field: string | null): Record<string, number> {
  expect(field).toMatch(/^"refresh"(;[a-z]=\d+)+$/);
  return Object.fromEntries(
    [...field!.matchAll(/;([a-z])=(\d+)/g)].map(([, name, value]) => [name, Number(value)]),
  );
}

test("counts down in every answer, and in the refusal all fields tell the same time", async () => {
  const answers = await attempts(5, freshAddress());
  expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 429, 429]);
  expect(answers.map(({ headers }) => parameters(headers.get("ratelimit")).r)).toEqual([2, 1, 0, 0, 0]);
  for (const { headers } of answers) {
    expect(parameters(headers.get("ratelimit-policy"))).toEqual({ q: 3, w: 60 });
  }
  for (const { status, headers } of answers) expect(headers.has("retry-after")).toBe(status === 429);
  const { body, headers } = answers[4]!;
  expect(body).toMatchObject({ code: "rate_limited", retryAfter: expect.any(Number) });
  expect(Number.isInteger(body.retryAfter)).toBe(true);
  expect(body.retryAfter).toBeGreaterThan(0);
  expect(body.retryAfter).toBeLessThanOrEqual(60);
  expect(headers.get("retry-after")).toBe(String(body.retryAfter));
  expect(parameters(headers.get("ratelimit")).t).toBe(body.retryAfter);
  expect(body.error).toContain(`${body.retryAfter} s`);
});

test("says so on a success too, and refuses even a good token while it holds", async () => {
  const address = freshAddress();
  let token = (await signIn(harness.now, await makePerson(harness.now))).refresh;
  for (const remaining of [2, 1, 0]) {
    const { status, body, headers } = await refresh(harness.now, token, { address });
    expect(status).toBe(200);
    expect(parameters(headers.get("ratelimit")).r).toBe(remaining);
    token = body.refresh_token;
  }
  expect((await refresh(harness.now, token, { address })).status).toBe(429);
  // The token was refused before anyone read it, so it still works from another address.
  expect((await refresh(harness.now, token)).status).toBe(200);
});

test("lets exactly as many through as it says when all come at once", async () => {
  const address = freshAddress();
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => refresh(harness.now, "guessed", { address })),
  );
  expect(answers.filter(({ status }) => status === 401)).toHaveLength(3);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(17);
});

test("counts each address by itself, and begins again when the time is over", async () => {
  const address = freshAddress();
  expect((await attempts(4, address)).at(-1)!.status).toBe(429);
  const other = freshAddress();
  expect((await attempts(2, other)).at(-1)!.status).toBe(401);
  // Another process has counted the rest, so this one doesn't know of it.
  await harness.now.sql`update rate_limits set points = 3, expire = 0 where key = ${`refresh:${other}`}`;
  expect((await attempts(1, other))[0]!.status).toBe(401);
});

test("begins again after the clock was set back, and not where another process' clock is a little ahead", async () => {
  const usedUpElsewhere = async (secondsAhead: number) => {
    const address = freshAddress();
    await attempts(2, address);
    await harness.now.sql`
      update rate_limits set points = 3, expire = expire + ${secondsAhead * 1000}
      where key = ${`refresh:${address}`}`;
    return await attempts(1, address);
  };
  const [ahead] = await usedUpElsewhere(50);
  expect(ahead!.status).toBe(429);
  const [again] = await usedUpElsewhere(86_400);
  expect(again!.status).toBe(401);
  const { r, t } = parameters(again!.headers.get("ratelimit"));
  expect(r).toBe(2);
  expect(t).toBeLessThanOrEqual(60);
});

test("costs no statement where it is known to be used up, however many try at once", async () => {
  const address = freshAddress();
  await attempts(4, address);
  const many = () =>
    Promise.all(Array.from({ length: 50 }, () => refresh(harness.now, "guessed", { address })));
  expect(await harness.now.count(many)).toBe(0);
  const other = freshAddress();
  const all = await harness.now.count(() =>
    Promise.all(Array.from({ length: 50 }, () => refresh(harness.now, "guessed", { address: other })))
  );
  // Three are let through. Each of the others costs nothing.
  expect(all).toBeLessThan(20);
});

test("counts for all processes together", async () => {
  const address = freshAddress();
  await attempts(2, address);
  const there = [
    await refresh(second.now, "guessed", { address }),
    await refresh(second.now, "guessed", { address }),
  ];
  expect(there.map(({ status }) => status)).toEqual([401, 429]);
});

test("takes the address from X-Forwarded-For's last hop only behind a proxy that is trusted", async () => {
  const spoofed = (hop: number) => ({
    address: "10.8.0.1",
    headers: { "x-forwarded-for": `1.2.3.${hop}, 10.7.0.${hop}` },
  });
  const direct: Answer[] = [];
  for (let hop = 0; hop < 4; hop++) direct.push(await refresh(harness.now, "guessed", spoofed(hop)));
  expect(direct.at(-1)!.status).toBe(429);

  const proxied = await openHarness({ env: { ...env, TRUST_PROXY: "on" } });
  try {
    for (let hop = 0; hop < 4; hop++) {
      expect((await refresh(proxied, "guessed", spoofed(hop))).status).toBe(401);
    }
    // The addresses that the client itself wrote before the last hop make no difference.
    const forged = { address: "10.8.0.1", headers: { "x-forwarded-for": "9.9.9.9, 10.7.0.1" } };
    const answers: Answer[] = [];
    for (let i = 0; i < 3; i++) answers.push(await refresh(proxied, "guessed", forged));
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 429]);
    // A proxy may write the port too. Even then, the connections of an address share one counter.
    for (const address of ["10.7.1.1", "[2001:db8::1]"]) {
      const ported: Answer[] = [];
      for (let port = 5000; port < 5004; port++) {
        ported.push(
          await refresh(proxied, "guessed", { headers: { "x-forwarded-for": `${address}:${port}` } }),
        );
      }
      expect(ported.map(({ status }) => status)).toEqual([401, 401, 401, 429]);
    }
  } finally {
    await proxied.close();
  }
});

test.each([
  ["the first 64 bits of an IPv6 address", [
    "2001:db8:1:2::1",
    "2001:DB8:1:2:ffff:ffff:ffff:ffff",
    "2001:0db8:0001:0002::%eth0",
  ], "2001:db8:1:3::1"],
  ["those of a short one", ["fe80::1", "fe80::2", "fe80:0:0:0:1::"], "fe80:0:0:1::1"],
  ["an IPv4 address, however it is written", [
    "198.51.100.9",
    "::ffff:198.51.100.9",
    "0:0:0:0:0:FFFF:c633:6409",
  ], "::ffff:198.51.100.8"],
  ["what is no address as it is", ["unknown", "unknown", "unknown"], "unknown%"],
])("counts %s", async (_, same, other) => {
  for (const address of same) {
    expect((await refresh(harness.now, "guessed", { address })).status).toBe(401);
  }
  expect((await refresh(harness.now, "guessed", { address: same[1]! })).status).toBe(429);
  expect((await refresh(harness.now, "guessed", { address: other })).status).toBe(401);
});

test("shows a session's address whole", async () => {
  const person = await makePerson(harness.now);
  const address = "2001:db8:9:9:1:2:3:4";
  const { body } = await login(harness.now, person, { address });
  const { body: listed } = await harness.now.call("GET", "/auth/sessions", { token: body.access_token });
  expect(listed.sessions).toMatchObject([{ address }]);
});

test("also limits changes of password and invitations, with the same fields", async () => {
  const person = await makePerson(harness.now);
  const { access } = await signIn(harness.now, person);
  const change = { current_password: "wrong", new_password: "a new long password" };
  const changes: Answer[] = [];
  for (let i = 0; i < 11; i++) {
    changes.push(await harness.now.call("POST", "/auth/password", { token: access, body: change }));
  }
  const accept = { body: { token: "guessed", password: "a new long password" }, address: freshAddress() };
  const accepts: Answer[] = [];
  for (let i = 0; i < 11; i++) {
    accepts.push(await harness.now.call("POST", "/users/invitations/accept", accept));
  }
  for (const answers of [changes, accepts]) {
    const { status, body, headers } = answers.at(-1)!;
    expect(answers.filter((answer) => answer.status === 429)).toHaveLength(1);
    expect(status).toBe(429);
    expect(headers.get("retry-after")).toBe(String(body.retryAfter));
    expect(headers.get("ratelimit")).toContain(`;r=0;t=${body.retryAfter}`);
  }
});
