import { expect, test } from "vitest";
import { useHarness } from "../harness.ts";
import { makePerson } from "./sign_in.ts";

const harness = useHarness({ env: { RATE_LIMIT_REFRESH: "1000/60" } });

const SAME = { origin: "http://handoff.test" };

/** The cookies that an answer sets, with their attributes. */
function cookiesOf(headers: Headers): Map<string, { value: string; attributes: string }> {
  return new Map(
    headers.getSetCookie().map((field) => {
      const [, name, value, attributes] = /^(\w+)=([^;]*); (.*)$/.exec(field)!;
      return [name!, { value: value!, attributes: attributes! }];
    }),
  );
}

async function start() {
  const { email, password } = await makePerson(harness.now);
  const answer = await harness.now.call("POST", "/auth/session", {
    headers: SAME,
    body: { email, password },
  });
  expect(answer.status).toBe(204);
  const cookies = cookiesOf(answer.headers);
  return {
    email,
    password,
    cookies,
    session: cookies.get("session")!.value,
    refresh: cookies.get("refresh")!.value,
  };
}

const renew = (refresh: string | null, headers: Record<string, string> = SAME) =>
  harness.now.call("POST", "/auth/session/renew", {
    headers: { ...headers, ...(refresh && { cookie: `refresh=${refresh}` }) },
  });

test("a browser's sign-in sets two cookies that no script can read, and answers no token", async () => {
  const { cookies, session } = await start();
  expect(cookies.get("session")!.attributes).toMatch(/^HttpOnly; SameSite=Lax; Path=\/; Max-Age=\d+$/);
  expect(cookies.get("refresh")!.attributes).toMatch(
    /^HttpOnly; SameSite=Strict; Path=\/api\/auth\/session; Max-Age=\d+$/,
  );
  const me = await harness.now.call("GET", "/auth/me", { headers: { cookie: `session=${session}` } });
  expect(me.status).toBe(200);
});

test("the refresh cookie alone renews both cookies", async () => {
  const { refresh } = await start();
  const answer = await renew(refresh);
  expect([answer.status, answer.body]).toEqual([204, undefined]);
  const cookies = cookiesOf(answer.headers);
  expect(cookies.get("refresh")!.value).not.toBe(refresh);
  const me = await harness.now.call("GET", "/auth/me", {
    headers: { cookie: `session=${cookies.get("session")!.value}` },
  });
  expect(me.status).toBe(200);
});

test("the refresh cookie that can be used counts, with any others of its name and in any order", async () => {
  const used = await start();
  await renew(used.refresh);
  await harness.now
    .sql`update refresh_tokens set used_at = used_at - interval '31 s' where used_at is not null`;
  const ended = await start();
  await harness.now.call("POST", "/auth/logout", { headers: { cookie: `session=${ended.session}` } });
  const others = ["of-another-application", "", '""', used.refresh, ended.refresh];
  for (let at = 0; at <= others.length; at++) {
    const { refresh, email } = await start();
    const [first, ...rest] = others.toSpliced(at, 0, refresh);
    const answer = await renew([first, ...rest.map((value) => `refresh=${value}`)].join("; "));
    expect(answer.status, `place ${at}`).toBe(204);
    const session = cookiesOf(answer.headers).get("session")!.value;
    const me = await harness.now.call("GET", "/auth/me", { headers: { cookie: `session=${session}` } });
    expect(me.body.user.email).toBe(email);
  }
  expect((await renew("unknown; refresh=other")).body.code).toBe("unauthenticated");
});

test("a refresh cookie that was used half a minute ago ends the session of both", async () => {
  const { refresh } = await start();
  const renewed = cookiesOf((await renew(refresh)).headers).get("refresh")!.value;
  await harness.now
    .sql`update refresh_tokens set used_at = used_at - interval '31 s' where used_at is not null`;
  expect((await renew(refresh)).body.code).toBe("token_reused");
  expect((await renew(renewed)).body.code).toBe("unauthenticated");
});

test("a renewal without its cookie is refused, no matter what else comes along", async () => {
  const { session, refresh } = await start();
  const answer = await harness.now.call("POST", "/auth/session/renew", {
    headers: { ...SAME, cookie: `session=${session}` },
  });
  expect([answer.status, answer.body.code]).toEqual([401, "unauthenticated"]);
  const named = await harness.now.call("POST", "/auth/session/renew", {
    headers: SAME,
    body: { refresh_token: refresh },
  });
  expect(named.status).toBe(400);
});

test.each<Record<string, string>>([{ origin: "https://evil.test" }, { "sec-fetch-site": "cross-site" }])(
  "a page of another site (%j) neither renews a session nor signs a browser in",
  async (headers) => {
    const { email, password, refresh } = await start();
    expect((await renew(refresh, headers)).body.code).toBe("csrf");
    const answer = await harness.now.call("POST", "/auth/session", {
      headers,
      body: { email, password },
    });
    expect([answer.status, answer.body.code]).toEqual([403, "csrf"]);
    expect(answer.headers.getSetCookie()).toEqual([]);
  },
);

test("signing out takes both cookies away and ends the session", async () => {
  const { session, refresh } = await start();
  const answer = await harness.now.call("POST", "/auth/logout", {
    headers: { ...SAME, cookie: `session=${session}` },
  });
  expect([...cookiesOf(answer.headers).values()].map(({ value }) => value)).toEqual(["", ""]);
  expect((await renew(refresh)).body.code).toBe("unauthenticated");
});
