import type { TRPCClientError } from "@trpc/client";
import { SignJWT } from "jose";
import { describe, expect, expectTypeOf, test } from "vitest";
import { createHandoffClient, type Credentials, errorBody, storeInMemory } from "../src/client.ts";
import { publishedProcedures } from "../src/http/procedures.ts";
import type { AppRouter } from "../src/routers/root.ts";
import { makeKey, makeProject, makeUser, next, type TestProject } from "./factories.ts";
import { type Harness, useHarness } from "./harness.ts";
import { runDeno } from "./run_deno.ts";

const harness = useHarness({ env: { RATE_LIMIT_REFRESH: "1000/60" } });
const PASSWORD = "correct horse battery";

/** Sends a client's requests into the app and remembers them. */
function connect(app: Harness) {
  const requests: string[] = [];
  const fetch = (async (input: URL | RequestInfo, init?: RequestInit) => {
    const url = new URL(String(input));
    requests.push(`${init?.method} ${decodeURIComponent(url.pathname.replace("/trpc/", ""))}`);
    return await app.request(init?.method ?? "GET", url.pathname + url.search, {
      headers: Object.fromEntries(new Headers(init?.headers)),
      ...(init?.body && { raw: init.body }),
    });
  }) as typeof globalThis.fetch;
  const refreshes = () => requests.filter((request) => request.endsWith("auth.refresh")).length;
  return { fetch, requests, refreshes };
}

/** Keeps the session cookie, as a browser does for a portal of the service's own origin. */
function withCookie(fetch: typeof globalThis.fetch) {
  const jar = { cookie: "" };
  const browse = (async (input: URL | RequestInfo, init?: RequestInit) => {
    if (init?.credentials === "omit") return await fetch(input, init);
    const headers = new Headers(init?.headers);
    if (jar.cookie) headers.set("cookie", jar.cookie);
    const response = await fetch(input, { ...init, headers });
    jar.cookie = response.headers.get("set-cookie")?.split(";")[0] ?? jar.cookie;
    return response;
  }) as typeof globalThis.fetch;
  return { jar, fetch: browse };
}

/** A portal with an account admin signed in, and a project to work in. */
async function openPortal(app: Harness) {
  const superAdmin = await makeUser(app, { role: "super_admin" });
  const email = `portal${next()}@example.test`;
  const made = await app.call("POST", "/users", {
    token: superAdmin.token,
    body: { email, name: "Portal", role: "admin", password: PASSWORD, account_id: superAdmin.accountId },
  });
  expect(made.status).toBe(201);
  const connection = connect(app);
  const store = storeInMemory();
  const reasons: unknown[] = [];
  const client = createHandoffClient({
    baseUrl: "http://handoff.test/",
    credentials: store,
    fetch: connection.fetch,
    onSignedOut: (reason) => reasons.push(reason.code),
  });
  await client.signIn({ email, password: PASSWORD });
  const project = await client.api.projects.create.mutate({ name: `Portal ${next()}`, key: `P${next()}X` });
  return { ...connection, client, store, reasons, project, email };
}

async function expiredToken(app: Harness, credentials: Credentials): Promise<string> {
  const [{ id, bytes }] = app.services.secrets.auth;
  const { sub, sid } = JSON.parse(atob(credentials.access_token.split(".")[1]!));
  const now = Math.floor(Date.now() / 1000);
  return await new SignJWT({ sid }).setProtectedHeader({ alg: "HS256", kid: id }).setSubject(sub)
    .setIssuedAt(now - 1000).setExpirationTime(now - 100).sign(bytes);
}

async function expire(app: Harness, store: ReturnType<typeof storeInMemory>): Promise<void> {
  const credentials = (await store.read())!;
  await store.write({ ...credentials, access_token: await expiredToken(app, credentials) });
}

const draft = {
  request_type: "bug" as const,
  priority: "high" as const,
  blocking: true,
  roles: ["backend" as const],
};
const texts = () => ({
  title: `From the portal, ${next()}`,
  description: "Written through the typed client.",
});

describe("the typed client", () => {
  test("signs in, creates a ticket and reads it back with its types", async () => {
    const { client, project, requests } = await openPortal(harness.now);
    const created = await client.api.tickets.create.mutate({
      id: project.id,
      ...draft,
      ...texts(),
      evidence: { n: [1] },
    });
    const ticket = await client.api.tickets.get.query({
      id: project.id,
      ticketId: created.ticket.ticket_ref,
    });
    expectTypeOf(ticket.stage).toEqualTypeOf<"backlog" | "up_next" | "in_progress" | "validation" | "live">();
    expect(ticket).toMatchObject({ id: created.ticket.id, stage: "backlog", evidence: { n: [1] } });
    expect(requests.every((request) => request.startsWith("POST "))).toBe(true);
  });

  test("calls of one tick share a request, and long inputs are no trouble", async () => {
    const { client, project, requests } = await openPortal(harness.now);
    const before = requests.length;
    const lists = await Promise.all(
      Array.from({ length: 5 }, () => client.api.tickets.list.query({ id: project.id, q: "ł".repeat(200) })),
    );
    expect(lists.map(({ tickets }) => tickets)).toEqual([[], [], [], [], []]);
    expect(requests.length - before).toBe(1);
  });

  test("calls of one tick that are long together are all made", async () => {
    const { client, project, requests } = await openPortal(harness.now);
    const before = requests.length;
    const create = (bytes: number) =>
      client.api.tickets.create.mutate({
        id: project.id,
        ...draft,
        ...texts(),
        evidence: { log: "ż".repeat(bytes / 2) },
      });
    await Promise.all([...Array(6).fill(200_000), ...Array(20).fill(49_000)].map(create));
    expect((await client.api.tickets.count.query({ id: project.id })).stages.backlog).toBe(26);
    expect(requests.length - before).toBe(6 + 1 + 1);
  });

  test("many calls with an expired token cause one refresh, and all of them succeed", async () => {
    const { client, store, project, refreshes } = await openPortal(harness.now);
    await expire(harness.now, store);
    const calls = Array.from({ length: 60 }, () => client.api.projects.get.query({ id: project.id }));
    const writes = Array.from(
      { length: 3 },
      () => client.api.tickets.create.mutate({ id: project.id, ...draft, ...texts() }),
    );
    const found = await Promise.all(calls);
    expect(new Set(found.map(({ id }) => id))).toEqual(new Set([project.id]));
    expect((await Promise.all(writes)).map(({ ticket }) => ticket.status)).toEqual(["open", "open", "open"]);
    expect(refreshes()).toBe(1);
  });

  test("a token near its end is replaced before any call fails", async () => {
    const { client, store, refreshes, requests } = await openPortal(harness.now);
    await store.write({ ...(await store.read())!, expires_at: Date.now() + 10_000 });
    const before = requests.length;
    await Promise.all([client.api.auth.me.query({}), client.api.auth.logout.mutate({})]);
    expect(refreshes()).toBe(1);
    expect(requests.length - before).toBe(3);
  });

  test("a refused refresh signs out once, says why, and later calls say that they are not authenticated", async () => {
    const { client, store, reasons, refreshes } = await openPortal(harness.now);
    await expire(harness.now, store);
    await store.write({ ...(await store.read())!, refresh_token: "of no session" });
    const results = await Promise.allSettled(Array.from({ length: 5 }, () => client.api.auth.me.query({})));
    expect(results.every(({ status }) => status === "rejected")).toBe(true);
    expect(reasons).toEqual(["unauthenticated"]);
    expect(await store.read()).toBeNull();
    expect(await client.api.auth.me.query({}).catch(errorBody)).toMatchObject({ code: "unauthenticated" });
    expect(refreshes()).toBe(1);
  });

  test("a session ended elsewhere is noticed at the next call", async () => {
    const { client, store, reasons } = await openPortal(harness.now);
    await harness.now.call("POST", "/auth/logout", { token: (await store.read())!.access_token, body: {} });
    expect(await client.api.auth.me.query({}).catch(errorBody)).toMatchObject({ code: "unauthenticated" });
    expect(reasons).toEqual(["unauthenticated"]);
  });

  test("the service out of reach does not sign out, and a token that is still good goes on working", async () => {
    const { store, fetch, email } = await openPortal(harness.now);
    let away = true;
    const client = createHandoffClient({
      baseUrl: "http://handoff.test",
      credentials: store,
      fetch: (input, init) =>
        away && String(input).includes("auth.refresh")
          ? Promise.reject(new TypeError("no route"))
          : fetch(input, init),
    });
    await store.write({ ...(await store.read())!, expires_at: Date.now() + 10_000 });
    expect(await client.api.auth.me.query({})).toMatchObject({ user: { email } });
    await expire(harness.now, store);
    expect(await client.api.auth.me.query({}).catch(errorBody)).toBeNull();
    away = false;
    expect((await client.api.auth.me.query({})).user.email).toBe(email);
  });

  test("signing out ends the session and forgets it, even while a refresh is under way", async () => {
    const { client, store, reasons } = await openPortal(harness.now);
    await expire(harness.now, store);
    const call = client.api.auth.me.query({}).catch(errorBody);
    const credentials = (await store.read())!;
    await Promise.all([client.signOut(), call]);
    expect(await store.read()).toBeNull();
    const refreshed = await harness.now.call("POST", "/auth/refresh", {
      body: { refresh_token: credentials.refresh_token },
    });
    expect(refreshed.status).toBe(401);
    expect(reasons).toEqual([]);
  });

  test("signing out ends the session also where its access token is signed with a secret of before", async () => {
    const { client, store } = await openPortal(harness.now);
    const { access_token, refresh_token, expires_at } = (await store.read())!;
    const [head, claims] = access_token.split(".");
    await store.write({ access_token: `${head}.${claims}.${"A".repeat(43)}`, refresh_token, expires_at });
    await client.signOut();
    const refreshed = await harness.now.call("POST", "/auth/refresh", { body: { refresh_token } });
    expect(refreshed.status).toBe(401);
  });

  test("what another tab wrote into the shared store is used without a refresh", async () => {
    const { client, store, refreshes, email, fetch } = await openPortal(harness.now);
    const other = createHandoffClient({ baseUrl: "http://handoff.test", credentials: store, fetch });
    await expire(harness.now, store);
    expect(await other.api.auth.me.query({})).toMatchObject({ user: { email } });
    expect(await client.api.auth.me.query({})).toMatchObject({ user: { email } });
    expect(refreshes()).toBe(1);
  });
});

test("who signed out is nobody, though a cookie was left since the service could not be told", async () => {
  const { store, email, fetch } = await openPortal(harness.now);
  const browser = withCookie(fetch);
  const client = createHandoffClient({
    baseUrl: "http://handoff.test",
    credentials: store,
    fetch: (input, init) =>
      String(input).includes("auth.logout")
        ? Promise.reject(new TypeError("no route"))
        : browser.fetch(input, init),
  });
  await client.signIn({ email, password: PASSWORD });
  await expect(client.signOut()).rejects.toThrow("no route");
  expect(browser.jar.cookie).toMatch(/^session=./);
  const { auth, integrations } = client.api;
  for (const call of [() => auth.me.query({}), () => integrations.setUpHooks.mutate({})]) {
    expect(await call().then(() => null, errorBody)).toMatchObject({ code: "unauthenticated" });
  }
});

describe("a change through the typed client of one version only", () => {
  test("is made to that version, by itself, and refused for any other with the current one", async () => {
    const { client, project, requests, store } = await openPortal(harness.now);
    const { tickets } = client.api;
    const { ticket } = await tickets.create.mutate({ id: project.id, ...draft, ...texts() });
    const path = { id: project.id, ticketId: ticket.id };
    const before = requests.length;
    const [changed] = await Promise.all([
      tickets.update.mutate({ ...path, priority: "low" }, { context: { ifMatch: ticket.version } }),
      tickets.get.query(path),
      tickets.get.query(path),
    ]);
    expect(changed.version).toBe(ticket.version + 1);
    expect(requests.slice(before).toSorted()).toEqual([
      "POST tickets.get,tickets.get",
      "POST tickets.update",
    ]);
    await expire(harness.now, store);
    const refused = await tickets.update.mutate(
      { ...path, priority: "medium" },
      { context: { ifMatch: ticket.version } },
    ).then(() => null, errorBody);
    expect(refused).toMatchObject({ code: "version_conflict", details: { current: changed } });
    expect((await tickets.get.query(path)).priority).toBe("low");
  });

  test("is refused, not made, for what is no version", async () => {
    const { client, project } = await openPortal(harness.now);
    const { ticket } = await client.api.tickets.create.mutate({ id: project.id, ...draft, ...texts() });
    for (const ifMatch of ['"1"', null, ""]) {
      const input = { id: project.id, ticketId: ticket.id, priority: "low" as const };
      const refused = await client.api.tickets.update.mutate(input, { context: { ifMatch } }).then(
        () => null,
        errorBody,
      );
      expect(["invalid_request", "version_conflict"]).toContain(refused?.code);
    }
  });
});

describe("a call that takes the session cookie only", () => {
  async function openBrowser() {
    const { store, email, fetch, requests, refreshes } = await openPortal(harness.now);
    const browser = withCookie(fetch);
    const client = createHandoffClient({
      baseUrl: "http://handoff.test",
      credentials: store,
      fetch: browser.fetch,
    });
    await client.signIn({ email, password: PASSWORD });
    const setUpHooks = () => client.api.integrations.setUpHooks.mutate({}).then(() => null, errorBody);
    const letCookieExpire = async () => {
      browser.jar.cookie = `session=${await expiredToken(harness.now, (await store.read())!)}`;
    };
    return { fetch: browser.fetch, store, requests, refreshes, setUpHooks, letCookieExpire };
  }

  test("is one that the client knows as such", () => {
    const names = publishedProcedures().filter(({ meta }) => meta.cookieOnly).map(({ name }) => name);
    expect(names).toEqual(["integrations.setUpHooks"]);
  });

  test("goes with the cookie, which a refresh renews before the token's end", async () => {
    const { store, requests, setUpHooks, letCookieExpire } = await openBrowser();
    await letCookieExpire();
    await store.write({ ...(await store.read())!, expires_at: Date.now() + 10_000 });
    const before = requests.length;
    expect(await setUpHooks()).toMatchObject({ code: "code_hosting_not_linked" });
    expect(requests.slice(before)).toEqual(["POST auth.refresh", "POST integrations.setUpHooks"]);
  });

  test("is sent once more with a new cookie when the cookie is refused", async () => {
    const { refreshes, setUpHooks, letCookieExpire } = await openBrowser();
    await letCookieExpire();
    expect(await setUpHooks()).toMatchObject({ code: "code_hosting_not_linked" });
    expect(refreshes()).toBe(1);
  });

  test("is refused to a key, no matter whose cookie there is", async () => {
    const { fetch } = await openBrowser();
    const apiKey = (await makeKey(harness.now, (await makeProject(harness.now)).admin)).token;
    const { api } = createHandoffClient({ baseUrl: "http://handoff.test", credentials: { apiKey }, fetch });
    const refused = await api.integrations.setUpHooks.mutate({}).then(() => null, errorBody);
    expect(refused).toMatchObject({ code: "unauthenticated", error: expect.stringContaining("cookie only") });
  });
});

describe("the typed client with an API key", () => {
  async function openWithKey(project: TestProject, scopes?: string[]) {
    const connection = connect(harness.now);
    const credentials = {
      apiKey: (await makeKey(harness.now, project.admin, scopes ? { scopes } : {})).token,
    };
    return {
      ...connection,
      ...createHandoffClient({ baseUrl: "http://handoff.test", credentials, ...connection }),
    };
  }

  test("creates tickets as a bot", async () => {
    const project = await makeProject(harness.now);
    const { api } = await openWithKey(project);
    const { ticket } = await api.tickets.create.mutate({ id: project.id, ...draft, ...texts() });
    expect(await api.tickets.get.query({ id: project.id, ticketId: ticket.id })).toMatchObject({
      created_with: "key",
    });
  });

  test("tells the service's own reasons, by code and by field", async () => {
    const project = await makeProject(harness.now);
    const { api, refreshes } = await openWithKey(project, ["tickets:write"]);
    const invalid = await api.tickets.create.mutate({
      id: project.id,
      ...draft,
      title: "abc",
      description: "short",
    })
      .then(() => null, errorBody);
    expect(invalid).toMatchObject({
      code: "invalid_request",
      fieldErrors: { title: expect.any(String), description: expect.any(String) },
    });
    const forbidden = await api.tickets.list.query({ id: project.id }).then(() => null, errorBody);
    expect(forbidden).toMatchObject({ code: "insufficient_scope", requestId: expect.any(String) });
    expect(refreshes()).toBe(0);
  });

  test("tells them of a failure too that a portal's own copy of tRPC's client threw", async () => {
    const { api } = await openWithKey(await makeProject(harness.now));
    const failed = await api.keys.list.query({}).then(() => null, (error: unknown) => error);
    const own = Object.assign(new Error(), { data: (failed as TRPCClientError<AppRouter>).data });
    expect(errorBody(own)).toMatchObject({ code: "insufficient_scope" });
    expect(errorBody(own)).toEqual(errorBody(failed));
    const others = [new Error(), { data: own.data }, null, Object.assign(new Error(), { data: { body: 1 } })];
    for (const other of others) expect(errorBody(other)).toBeNull();
  });

  test("tells the reason too when a request fails before it reaches a procedure", async () => {
    const project = await makeProject(harness.now);
    const { api } = await openWithKey(project);
    const tooLarge = await api.tickets.create.mutate({
      id: project.id,
      ...draft,
      ...texts(),
      evidence: { text: "x".repeat(1_100_000) },
    }).then(() => null, errorBody);
    expect(tooLarge).toMatchObject({ code: "payload_too_large", requestId: expect.any(String) });
  });
});

test("the client needs nothing of the service at run time, and nothing of Deno", async () => {
  const { stdout } = await runDeno(["info", "--json", "src/client.ts"]);
  const { modules } = JSON.parse(stdout);
  const client = modules.find(({ specifier }: { specifier: string }) => specifier.endsWith("/src/client.ts"));
  const atRunTime = client.dependencies.filter((dependency: { code?: object }) => dependency.code)
    .map(({ specifier }: { specifier: string }) => specifier);
  expect(atRunTime).toEqual(["@trpc/client", "superjson"]);
  expect(await Deno.readTextFile("src/client.ts")).not.toMatch(/\bDeno\b/);
});

describe("with its tokens in cookies", () => {
  /** Keeps each cookie for its path, as a browser does. */
  function browse(fetch: typeof globalThis.fetch) {
    const jar = new Map<string, { value: string; path: string }>();
    const send = (async (input: URL | RequestInfo, init?: RequestInit) => {
      const headers = new Headers(init?.headers);
      const { pathname } = new URL(String(input));
      const sent = [...jar].filter(([, { path, value }]) => value !== "" && pathname.startsWith(path));
      headers.set("cookie", sent.map(([name, { value }]) => `${name}=${value}`).join("; "));
      const response = await fetch(input, { ...init, headers });
      for (const field of response.headers.getSetCookie()) {
        const [, name, value, path] = /^(\w+)=([^;]*);.*Path=([^;]*)/.exec(field)!;
        jar.set(name!, { value: value!, path: path! });
      }
      return response;
    }) as typeof globalThis.fetch;
    return { jar, fetch: send };
  }

  test("it signs in, renews its cookies once for all calls that were refused, and signs out", async () => {
    const { email } = await openPortal(harness.now);
    const { fetch, requests } = connect(harness.now);
    const browser = browse(fetch);
    const ended: unknown[] = [];
    const client = createHandoffClient({
      baseUrl: "http://handoff.test",
      credentials: "cookies",
      fetch: browser.fetch,
      onSignedOut: (reason) => ended.push(reason.code),
    });
    await client.signIn({ email, password: PASSWORD });
    expect(await client.accessToken()).toBeNull();
    const session = browser.jar.get("session")!;
    session.value = await expiredToken(harness.now, { access_token: session.value } as Credentials);
    const answers = await Promise.all([client.api.auth.me.query({}), client.api.projects.list.query({})]);
    expect(answers[0].user.email).toBe(email);
    expect(requests.filter((request) => request.endsWith("/auth/session/renew")).length).toBe(1);
    await client.signOut();
    expect([...browser.jar.values()].map(({ value }) => value)).toEqual(["", ""]);
    await expect(client.api.auth.me.query({})).rejects.toThrow();
    expect(ended).toEqual(["unauthenticated"]);
  });
});
