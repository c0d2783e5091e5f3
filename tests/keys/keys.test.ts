import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { TransactionSql } from "../../db/open.ts";
import { behindLock } from "../behind_lock.ts";
import { makeKey, makeMember, makeProject, makeUser } from "../factories.ts";
import { useHarness } from "../harness.ts";
import { statusOfMe } from "../sessions/sign_in.ts";

const harness = useHarness();
const call = (...args: Parameters<typeof harness.now.call>) => harness.now.call(...args);

const ALL_BUT_ADMIN = [
  "suggestions:read",
  "suggestions:write",
  "tasks:read",
  "tasks:write",
  "tickets:read",
  "tickets:write",
];

describe("creating a key", () => {
  test("shows the whole key once, in the documented form, not to be stored", async () => {
    const user = await makeUser(harness.now);
    const { status, body, headers } = await call("POST", "/keys", {
      token: user.token,
      body: { name: "ci bot" },
    });
    expect(status).toBe(201);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(Object.keys(body).sort()).toEqual(["id", "key", "name", "prefix"]);
    expect(body.key).toMatch(/^hk_[0-9A-Za-z]{8}_[0-9A-Za-z]{38}$/);
    expect(body.prefix).toBe(body.key.slice(0, 11));
    expect(body.name).toBe("ci bot");
    const listed = await call("GET", "/keys", { token: user.token });
    expect(JSON.stringify(listed.body)).not.toContain(body.key);
    expect(listed.body).toEqual({
      keys: [{
        id: body.id,
        user_id: user.id,
        prefix: body.prefix,
        name: "ci bot",
        scopes: expect.any(Array),
        project_id: null,
        expires_at: null,
        last_used_at: null,
        revoked_at: null,
        created_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      }],
      next_cursor: null,
    });
  });

  test("needs no body at all: a name is made up, and every scope but admin is given", async () => {
    const user = await makeUser(harness.now, { role: "admin" });
    for (const options of [{}, { body: {} }, { raw: "", headers: { "content-type": "text/plain" } }]) {
      const { status, body } = await call("POST", "/keys", { token: user.token, ...options });
      expect(status).toBe(201);
      expect(body.name.length).toBeGreaterThan(0);
    }
    const { body } = await call("GET", "/keys", { token: user.token });
    for (const { scopes } of body.keys) expect(scopes.toSorted()).toEqual(ALL_BUT_ADMIN);
  });

  test("stores its SHA-256 only, and no two are alike", async () => {
    const user = await makeUser(harness.now);
    const made = await Promise.all(
      Array.from({ length: 20 }, () => call("POST", "/keys", { token: user.token })),
    );
    expect(new Set(made.map(({ body }) => body.key)).size).toBe(20);
    expect(new Set(made.map(({ body }) => body.prefix)).size).toBe(20);
    const { id, key } = made[0]!.body;
    const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key))).toHex();
    const [row] = await harness.now.sql`
      select encode(key_hash, 'hex') as hash, k::text as everything from api_keys k where id = ${id}::uuid`;
    expect(row!.hash).toBe(hash);
    expect(row!.everything).not.toContain(key.slice(12));
  });

  test("takes an expiry in any zone and answers it in UTC", async () => {
    const user = await makeUser(harness.now);
    const body = { expires_at: "2099-01-01T01:00:00.5+17:30" };
    expect((await call("POST", "/keys", { token: user.token, body })).status).toBe(201);
    const listed = await call("GET", "/keys", { token: user.token });
    expect(listed.body.keys[0].expires_at).toBe("2098-12-31T07:30:00.500Z");
  });

  test("is audited with its prefix, and so is its end", async () => {
    const user = await makeUser(harness.now);
    const { body } = await call("POST", "/keys", { token: user.token, body: { scopes: ["tickets:read"] } });
    await call("DELETE", `/keys/${body.id}`, { token: user.token });
    const rows = await harness.now.sql`
      select action, details ->> 'prefix' as prefix from audit_log where target_id = ${body.id} order by id`;
    expect(rows).toEqual([
      { action: "key.created", prefix: body.prefix },
      { action: "key.revoked", prefix: body.prefix },
    ]);
  });

  test.each([
    ["an empty name", { name: "" }, ["name"]],
    ["a name of 121 characters", { name: "x".repeat(121) }, ["name"]],
    ["NUL in the name", { name: "a\0b" }, ["name"]],
    ["no scopes", { scopes: [] }, ["scopes"]],
    ["an unknown scope", { scopes: ["tickets:read", "everything"] }, ["scopes.1"]],
    ["a project that is no id", { project_id: "HO" }, ["project_id"]],
    ["an expiry that is no time", { expires_at: "tomorrow" }, ["expires_at"]],
    ["an expiry without a zone", { expires_at: "2099-01-01T00:00:00" }, ["expires_at"]],
    ["an expiry in the past", { expires_at: "2020-01-01T00:00:00Z" }, ["expires_at"]],
    ["a day that doesn't exist", { expires_at: "2099-02-30T00:00:00Z" }, ["expires_at"]],
    ["an expiry beyond the year 9999", { expires_at: "9999-12-31T23:59:59-18:00" }, ["expires_at"]],
    ["an unknown field", { owner: "me" }, ["owner"]],
  ])("with %s answers a 400 that names the field", async (_, body, fields) => {
    const user = await makeUser(harness.now);
    const answer = await call("POST", "/keys", { token: user.token, body });
    expect(answer.status).toBe(400);
    expect(Object.keys(answer.body.fieldErrors)).toEqual(fields);
    expect((await call("GET", "/keys", { token: user.token })).body.keys).toEqual([]);
  });

  test("binds it only to a project that its owner may see, whether or not another exists", async () => {
    const [own, foreign] = [await makeProject(harness.now), await makeProject(harness.now)];
    const token = own.admin.token;
    expect((await call("POST", "/keys", { token, body: { project_id: own.id } })).status).toBe(201);
    const refused = await call("POST", "/keys", { token, body: { project_id: foreign.id } });
    const unknown = await call("POST", "/keys", { token, body: { project_id: crypto.randomUUID() } });
    expect(refused.status).toBe(403);
    expect({ ...unknown.body, requestId: "" }).toEqual({ ...refused.body, requestId: "" });
  });
});

describe("a key", () => {
  test("is the Bearer credential of its owner", async () => {
    const user = await makeUser(harness.now);
    const { token } = await makeKey(harness.now, user);
    expect((await call("GET", "/auth/me", { token })).body.user.id).toBe(user.id);
  });

  test("with a typo is refused without a look into the database", async () => {
    const user = await makeUser(harness.now);
    const { token } = await makeKey(harness.now, user);
    for (let at = 3; at < token.length; at++) {
      if (token[at] === "_") continue;
      const typo = token.slice(0, at) + (token[at] === "a" ? "b" : "a") + token.slice(at + 1);
      const sent = await harness.now.count(async () => expect(await statusOfMe(harness.now, typo)).toBe(401));
      expect(sent).toBe(0);
    }
    const [swapped, cut] = [token.slice(0, -2) + token.at(-1) + token.at(-2), token.slice(0, -1)];
    for (const odd of [swapped, cut, `${token}0`, token.toUpperCase(), `${token}\u00e9`]) {
      if (odd !== token) expect(await statusOfMe(harness.now, odd)).toBe(401);
    }
    expect(await statusOfMe(harness.now, token)).toBe(200);
  });

  test("ends at its expiry to the moment, though it is remembered", async () => {
    const user = await makeUser(harness.now);
    const expires_at = new Date(Date.now() + 60_000).toISOString();
    const { body } = await call("POST", "/keys", { token: user.token, body: { expires_at } });
    onTestFinished(() => void vi.useRealTimers());
    vi.setSystemTime(Date.parse(expires_at) - 1);
    expect(await statusOfMe(harness.now, body.key)).toBe(200);
    vi.setSystemTime(Date.parse(expires_at));
    expect(await call("GET", "/auth/me", { token: body.key })).toMatchObject({
      status: 401,
      body: { code: "unauthenticated", error: "The API key is unknown, revoked or expired" },
    });
    const { body: listed } = await call("GET", "/keys", { token: user.token });
    expect(listed.keys[0].expires_at).toBe(expires_at);
  });

  test("is revoked by its owner or the account's admins, once and for all", async () => {
    const project = await makeProject(harness.now);
    const owner = await makeMember(harness.now, project, "member");
    const colleague = await makeMember(harness.now, project, "admin");
    const stranger = await makeUser(harness.now, { role: "admin" });
    const [one, other] = [await makeKey(harness.now, owner), await makeKey(harness.now, owner)];
    for (const { token } of [colleague, stranger]) {
      expect((await call("DELETE", `/keys/${one.id}`, { token })).status).toBe(404);
    }
    expect(await statusOfMe(harness.now, one.token)).toBe(200);
    const revoke = () => call("DELETE", `/keys/${one.id}`, { token: owner.token });
    const lock = (tx: TransactionSql) => tx`select from api_keys where id = ${one.id}::uuid for update`;
    const atOnce = await behindLock(harness.now, lock, revoke, revoke);
    expect(atOnce.map(({ status }) => status)).toEqual([204, 204]);
    expect((await call("DELETE", `/keys/${other.id}`, { token: project.admin.token })).status).toBe(204);
    for (const { token } of [one, other]) expect(await statusOfMe(harness.now, token)).toBe(401);
    const before = await call("GET", "/keys", { token: owner.token });
    expect((await revoke()).status).toBe(204);
    expect((await call("GET", "/keys", { token: owner.token })).body).toEqual(before.body);
    expect(before.body.keys.map(({ revoked_at }: { revoked_at: string | null }) => revoked_at === null))
      .toEqual([false, false]);
    const audit = await harness.now.sql`
      select from audit_log where target_id = ${one.id} and action = 'key.revoked'`;
    expect(audit.count).toBe(1);
  });

  test("is listed in pages, to its owner and to who manages them", async () => {
    const user = await makeUser(harness.now);
    const admin = await makeUser(harness.now, { accountId: user.accountId, role: "admin" });
    const made: string[] = [];
    for (let n = 0; n < 5; n++) made.unshift((await makeKey(harness.now, user)).id);
    for (const [path, { token }] of [["/keys", user], [`/users/${user.id}/keys`, admin]] as const) {
      const seen: string[] = [];
      for (let cursor: string | null = ""; cursor !== null;) {
        const { body } = await call("GET", `${path}?limit=2${cursor && `&cursor=${cursor}`}`, { token });
        seen.push(...body.keys.map(({ id }: { id: string }) => id));
        cursor = body.next_cursor;
      }
      expect(seen).toEqual(made);
    }
  });

  test("remembers when it was last used, to the minute", async () => {
    const user = await makeUser(harness.now);
    const { id, token } = await makeKey(harness.now, user);
    const lastUsed = async () => {
      const { body } = await call("GET", "/keys", { token: user.token });
      return body.keys[0].last_used_at;
    };
    expect(await lastUsed()).toBeNull();
    await statusOfMe(harness.now, token);
    const first = await lastUsed();
    expect(Math.abs(Date.parse(first) - Date.now())).toBeLessThan(60_000);
    harness.now.services.access.clear();
    await statusOfMe(harness.now, token);
    expect(await lastUsed()).toBe(first);
    await harness.now
      .sql`update api_keys set last_used_at = now() - interval '2 minutes' where id = ${id}::uuid`;
    harness.now.services.access.clear();
    await statusOfMe(harness.now, token);
    expect(Date.parse(await lastUsed())).toBeGreaterThanOrEqual(Date.parse(first));
  });

  test("of another user is neither listed nor found", async () => {
    const [one, other] = [await makeUser(harness.now), await makeUser(harness.now)];
    const { id } = await makeKey(harness.now, one);
    expect((await call("GET", "/keys", { token: other.token })).body.keys).toEqual([]);
    expect((await call("DELETE", `/keys/${id}`, { token: other.token })).status).toBe(404);
    expect((await call("DELETE", `/keys/${crypto.randomUUID()}`, { token: other.token })).status).toBe(404);
    expect((await call("DELETE", "/keys/hk_12345678", { token: other.token })).status).toBe(400);
  });
});
