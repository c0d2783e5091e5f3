import fc from "fast-check";
import { SignJWT } from "jose";
import { describe, expect, test } from "vitest";
import { makeProject, makeUser, next, ticketInput } from "../factories.ts";
import { useHarness } from "../harness.ts";
import { claimsOf, makePerson, signIn } from "./sign_in.ts";

const harness = useHarness({ env: { CORS_ORIGINS: "https://portal.test, http://localhost:5173" } });

const SAME = "http://handoff.test";

/** Header fields of a write with a session cookie → does it pass? */
const MATRIX: [string, Record<string, string>, boolean][] = [
  ["nothing: no browser", {}, true],
  ["the service's own origin", { origin: SAME }, true],
  ["a configured origin", { origin: "https://portal.test" }, true],
  ["another configured origin", { origin: "http://localhost:5173" }, true],
  ["a foreign origin", { origin: "https://evil.test" }, false],
  ["the right host by another scheme", { origin: "https://handoff.test" }, false],
  ["the right host on another port", { origin: `${SAME}:8080` }, false],
  ["a subdomain of a configured one", { origin: "https://x.portal.test" }, false],
  ["one that a configured one begins", { origin: "https://portal.test.evil.test" }, false],
  ["the opaque origin of a sandbox or a redirect", { origin: "null" }, false],
  ["an empty origin", { origin: "" }, false],
  ["same-origin without Origin", { "sec-fetch-site": "same-origin" }, true],
  ["typed by the user", { "sec-fetch-site": "none" }, true],
  ["same-site without Origin", { "sec-fetch-site": "same-site" }, false],
  ["cross-site without Origin", { "sec-fetch-site": "cross-site" }, false],
  ["a value nobody knows", { "sec-fetch-site": "sideways" }, false],
  ["a right origin from a page of another site", {
    origin: "https://portal.test",
    "sec-fetch-site": "cross-site",
  }, true],
  ["a foreign origin that claims the same site", {
    origin: "https://evil.test",
    "sec-fetch-site": "same-origin",
  }, false],
];

describe("a write with a session cookie", () => {
  test.each(MATRIX)("from %s", async (_, headers, passes) => {
    const project = await makeProject(harness.now);
    const answer = await harness.now.call("POST", `${project.path}/tickets`, {
      headers: { cookie: `session=${project.admin.token}`, ...headers },
      body: ticketInput(),
    });
    expect(answer.status).toBe(passes ? 201 : 403);
    if (!passes) expect(answer.body.code).toBe("csrf");
    // A person who opened the page by another name than PUBLIC_URL finds the cause in the message.
    if (!passes && headers["origin"]) expect(answer.body.error).toContain("neither PUBLIC_URL nor one of");
    const [row] = await harness.now
      .sql`select count(*) as n from tickets where project_id = ${project.id}::uuid`;
    expect(row).toEqual({ n: passes ? 1 : 0 });
  });

  test.each(["POST", "PUT", "PATCH", "DELETE"])("by %s is checked before anything else", async (method) => {
    const { admin, path, id } = await makeProject(harness.now);
    const target = {
      POST: `${path}/tickets`,
      PUT: `${path}/repositories`,
      PATCH: path,
      DELETE: path,
    }[method]!;
    const answer = await harness.now.call(method, target, {
      headers: { cookie: `session=${admin.token}`, origin: "https://evil.test" },
      ...(method !== "DELETE" && { body: { rubbish: true } }),
    });
    expect(answer).toMatchObject({ status: 403, body: { code: "csrf" } });
    const [project] = await harness.now.sql`select archived_at from projects where id = ${id}::uuid`;
    expect(project).toEqual({ archived_at: null });
  });

  test("is checked over tRPC, too", async () => {
    const { admin, id } = await makeProject(harness.now);
    const send = (headers: Record<string, string>) =>
      harness.now.request("POST", "/trpc/tickets.create", {
        headers: { cookie: `session=${admin.token}`, ...headers },
        body: { json: { id, ...ticketInput() } },
      });
    expect((await send({ origin: "https://evil.test" })).status).toBe(403);
    expect((await send({ "sec-fetch-site": "cross-site" })).status).toBe(403);
    expect((await send({ origin: SAME })).status).toBe(200);
  });
});

describe("a session cookie", () => {
  test.each(MATRIX)("reads freely from %s", async (_, headers) => {
    const { admin, path } = await makeProject(harness.now);
    const cookie = `session=${admin.token}`;
    for (const method of ["GET", "HEAD"]) {
      const response = await harness.now.request(method, `/api${path}`, { headers: { cookie, ...headers } });
      expect(response.status).toBe(200);
    }
  });

  test("counts among other cookies, and not by another name", async () => {
    const { access } = await signIn(harness.now, await makePerson(harness.now));
    const me = (cookie: string) => harness.now.call("GET", "/auth/me", { headers: { cookie } });
    expect((await me(`theme=dark; session=${access}; lang=de`)).status).toBe(200);
    expect((await me(`xsession=${access}`)).status).toBe(401);
    expect((await me("session=rubbish")).status).toBe(401);
    expect((await me("session=")).status).toBe(401);
    expect((await me("=;;; %zz=%; session")).status).toBe(401);
  });

  test("counts when it is valid, with any other cookies of its name beside it, in any order", async () => {
    const person = await makePerson(harness.now);
    const [ended, valid] = [await signIn(harness.now, person), await signIn(harness.now, person)];
    await harness.now.call("POST", "/auth/logout", { token: ended.access });
    const foreignToken = `${valid.access.slice(0, -4)}AAAA`;
    const octets = fc.string({ unit: fc.constantFrom(..."aZ09!#$%&'*+-./:=@_~"), maxLength: 30 });
    const foreign = fc.oneof(
      fc.constantFrom("", '""', foreignToken, ended.access, "hk_12345678_x", "%zz"),
      octets,
    ).map((value) => `session=${value}`);
    const other = fc.tuple(fc.constantFrom("theme", "xsession", "session2", "Session"), octets).map((
      [name, value],
    ) => `${name}=${value}`);
    const jar = fc.array(fc.oneof(foreign, other), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(jar, jar, fc.constantFrom("; ", ";", ", "), async (before, after, separator) => {
        const cookie = [...before, `session=${valid.access}`, ...after].join(separator);
        const answer = await harness.now.call("GET", "/auth/me", { headers: { cookie } });
        expect(answer.status, cookie).toBe(200);
        expect(answer.body.user.id).toBe(person.id);
        const without = await harness.now.call("GET", "/auth/me", {
          headers: { cookie: [...before, ...after].join(separator) },
        });
        expect(without.status).toBe(401);
      }),
      { numRuns: 60 },
    );
  });

  test("of another application is no credential: its owner is a stranger, and not refused", async () => {
    const { token } = await makeUser(harness.now, { role: "super_admin" });
    const code = `cookies-${next()}`;
    await harness.now.call("POST", "/admin/scope-surveys", {
      token,
      body: { code, title: "Cookies", questions: [{ key: "q", type: "text", text: "Why?" }] },
    });
    const answer = (headers: Record<string, string>, email: string) =>
      harness.now.call("POST", `/surveys/${code}/responses`, {
        headers,
        body: { email, answers: { q: "x" } },
      });
    expect((await answer({ cookie: "session=of-another" }, "one@example.test")).status).toBe(201);
    expect((await answer({ authorization: "Basic YTpi" }, "two@example.test")).status).toBe(201);
    const { access } = await signIn(harness.now, await makePerson(harness.now));
    await harness.now.call("POST", "/auth/logout", { token: access });
    expect((await answer({ cookie: `session=${access}` }, "three@example.test")).status).toBe(401);
  });

  test("that has expired asks for a refresh, also beside one of an ended session", async () => {
    const person = await makePerson(harness.now);
    const [ended, late] = [await signIn(harness.now, person), await signIn(harness.now, person)];
    await harness.now.call("POST", "/auth/logout", { token: ended.access });
    const { sid, sub } = claimsOf(late.access);
    const [key] = harness.now.services.secrets.auth;
    const expired = await new SignJWT({ sid }).setProtectedHeader({ alg: "HS256", kid: key.id }).setSubject(
      String(sub),
    )
      .setIssuedAt("-2h").setExpirationTime("-1h").sign(key.bytes);
    const cookie = `session=${ended.access}; session=${expired}`;
    const me = await harness.now.call("GET", "/auth/me", { headers: { cookie } });
    expect(me).toMatchObject({ status: 401, body: { code: "token_expired" } });
  });

  test.each([
    "Basic dXNlcjpwYXNzd29yZA==",
    'Digest username="u"',
    "Negotiate YII=",
    "Token abc",
    "BearerX abc",
    "Bearer-x abc",
    "",
  ])(
    "counts beside the scheme of a proxy: %s",
    async (authorization) => {
      const project = await makeProject(harness.now);
      const cookie = `session=${project.admin.token}`;
      const me = await harness.now.call("GET", "/auth/me", { headers: { cookie, authorization } });
      expect(me.status).toBe(200);
      const create = (origin: string) =>
        harness.now.call("POST", `${project.path}/tickets`, {
          headers: { cookie, authorization, origin },
          body: ticketInput(),
        });
      expect((await create(SAME)).status).toBe(201);
      expect((await create("https://evil.test")).body.code).toBe("csrf");
    },
  );

  test.each([
    "Bearer",
    "Bearer ",
    "Bearer two words",
    "bearer\ttab",
    "Bearer:x",
    "bearer=x",
    'Bearer"x"',
    "Basic YTpi, Bearer/x",
    "Basic YTpi, Bearer x",
    "Bearer x, Basic YTpi",
  ])(
    "gives way to a Bearer credential in the wrong form: %j",
    async (authorization) => {
      const { cookie } = await signIn(harness.now, await makePerson(harness.now));
      const me = await harness.now.call("GET", "/auth/me", { headers: { cookie, authorization } });
      expect(me).toMatchObject({ status: 401, body: { code: "unauthenticated" } });
    },
  );

  test("gives way to a Bearer credential, a refused one too", async () => {
    const [one, other] = [await makePerson(harness.now), await makePerson(harness.now)];
    const [cookie, token] = [
      (await signIn(harness.now, one)).cookie,
      (await signIn(harness.now, other)).access,
    ];
    const me = await harness.now.call("GET", "/auth/me", { token, headers: { cookie } });
    expect(me.body.user.id).toBe(other.id);
    const refused = await harness.now.call("GET", "/auth/me", { token: "rubbish", headers: { cookie } });
    expect(refused.status).toBe(401);
    // No cookie counts, so where the page came from doesn't matter.
    const logout = await harness.now.call("POST", "/auth/logout", {
      token,
      headers: { cookie, origin: "https://evil.test" },
    });
    expect(logout.status).toBe(204);
    const stays = await harness.now.call("GET", "/auth/me", { headers: { cookie } });
    expect(stays.body.user.id).toBe(one.id);
  });

  test("may not hold an API key", async () => {
    const { access } = await signIn(harness.now, await makePerson(harness.now));
    const { body } = await harness.now.call("POST", "/keys", { token: access });
    const me = await harness.now.call("GET", "/auth/me", { headers: { cookie: `session=${body.key}` } });
    expect(me.status).toBe(401);
  });
});

describe("browsers of other origins", () => {
  test("are told what they may do when they are configured, and nothing otherwise", async () => {
    const preflight = (origin: string) =>
      harness.now.request("OPTIONS", "/api/auth/me", {
        headers: {
          origin,
          "access-control-request-method": "POST",
          "access-control-request-headers": "content-type,x-trpc-source",
        },
      });
    const welcome = await preflight("https://portal.test");
    expect(welcome.headers.get("access-control-allow-origin")).toBe("https://portal.test");
    expect(welcome.headers.get("access-control-allow-credentials")).toBe("true");
    expect(welcome.headers.get("access-control-allow-headers")).toContain("X-TRPC-Source");
    const named = [
      "Authorization",
      "Content-Type",
      "Idempotency-Key",
      "If-Match",
      "Last-Event-ID",
      "X-Request-Id",
      "X-TRPC-Source",
      "baggage",
      "traceparent",
      "tracestate",
    ];
    expect(welcome.headers.get("access-control-allow-headers")?.split(",")).toEqual(named);
    const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];
    expect(welcome.headers.get("access-control-allow-methods")?.split(",")).toEqual(methods);
    expect((await preflight("https://evil.test")).headers.has("access-control-allow-origin")).toBe(false);
    const failed = await harness.now.request("GET", "/api/auth/me", {
      headers: { origin: "https://portal.test" },
    });
    expect(failed.status).toBe(401);
    expect(failed.headers.get("access-control-allow-origin")).toBe("https://portal.test");
    const readable = [
      "Content-Disposition",
      "ETag",
      "Idempotent-Body-Differs",
      "Location",
      "RateLimit",
      "RateLimit-Policy",
      "Retry-After",
      "X-Request-Id",
    ];
    expect(failed.headers.get("access-control-expose-headers")?.split(",")).toEqual(readable);
  });
});
