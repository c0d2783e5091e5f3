import { describe, expect, test } from "vitest";
import type { TransactionSql } from "../../db/open.ts";
import { behindLock } from "../behind_lock.ts";
import { makeKey, makeUser } from "../factories.ts";
import { useHarness } from "../harness.ts";
import { claimsOf, login, makePerson, refresh, signIn, statusOfMe } from "./sign_in.ts";

const harness = useHarness();
const call = (...args: Parameters<typeof harness.now.call>) => harness.now.call(...args);

describe("who am I", () => {
  test("answers the user and the account, and nothing secret", async () => {
    const person = await makePerson(harness.now, { role: "admin" });
    const { access } = await signIn(harness.now, person);
    const { status, body } = await call("GET", "/auth/me", { token: access });
    expect(status).toBe(200);
    expect(body).toEqual({
      user: { id: person.id, email: person.email, name: "Person", kind: "human", role: "admin" },
      account: { id: person.accountId, name: "Acme", slug: expect.any(String) },
      account_id: person.accountId,
    });
  });

  test("needs a credential, and follows a change of role at once", async () => {
    expect(await call("GET", "/auth/me")).toMatchObject({ status: 401, body: { code: "unauthenticated" } });
    const person = await makePerson(harness.now);
    const { access } = await signIn(harness.now, person);
    expect((await call("GET", "/users", { token: access })).status).toBe(403);
    await call("PATCH", `/users/${person.id}`, { token: person.admin.token, body: { role: "admin" } });
    expect((await call("GET", "/auth/me", { token: access })).body.user.role).toBe("admin");
    expect((await call("GET", "/users", { token: access })).status).toBe(200);
  });
});

describe("logging out", () => {
  test("ends this session at once and leaves the user's others", async () => {
    const person = await makePerson(harness.now);
    const [one, other] = [await signIn(harness.now, person), await signIn(harness.now, person)];
    expect((await call("POST", "/auth/logout", { token: one.access })).status).toBe(204);
    expect(await statusOfMe(harness.now, one.access)).toBe(401);
    expect((await refresh(harness.now, one.refresh)).status).toBe(401);
    expect(await statusOfMe(harness.now, other.access)).toBe(200);
    expect((await call("POST", "/auth/logout", { token: one.access })).status).toBe(401);
  });

  test("takes the cookie away from a caller who has one, and only from such a one", async () => {
    const person = await makePerson(harness.now);
    const byCookie = await signIn(harness.now, person);
    const { status, headers } = await call("POST", "/auth/logout", { headers: { cookie: byCookie.cookie } });
    expect(status).toBe(204);
    expect(headers.get("set-cookie")).toMatch(/^session=; .*Max-Age=0/);
    const byToken = await signIn(harness.now, person);
    const plain = await call("POST", "/auth/logout", { token: byToken.access });
    expect(plain.headers.has("set-cookie")).toBe(false);
  });
});

describe("sessions", () => {
  test("are listed newest first, with the current one marked, where they came from, and none that lay unused too long", async () => {
    const person = await makePerson(harness.now);
    const first = await login(harness.now, person, {
      address: "192.0.2.7",
      headers: { "user-agent": "first/1.0" },
    });
    const second = await login(harness.now, person, { headers: { "user-agent": "x".repeat(1000) } });
    const { body } = await call("GET", "/auth/sessions", { token: first.body.access_token });
    expect(body.next_cursor).toBeNull();
    expect(body.sessions.map(({ current }: { current: boolean }) => current)).toEqual([false, true]);
    expect(body.sessions[1]).toMatchObject({
      id: claimsOf(first.body.access_token).sid,
      address: "192.0.2.7",
      user_agent: "first/1.0",
    });
    expect(body.sessions[0].user_agent).toHaveLength(400);
    expect(JSON.stringify(body)).not.toContain(second.body.refresh_token);
    const page = await call("GET", "/auth/sessions?limit=1", { token: first.body.access_token });
    expect(page.body.sessions).toEqual(body.sessions.slice(0, 1));
    const rest = await call("GET", `/auth/sessions?limit=1&cursor=${page.body.next_cursor}`, {
      token: first.body.access_token,
    });
    expect(rest.body).toEqual({ sessions: body.sessions.slice(1), next_cursor: null });
    const idle = claimsOf(second.body.access_token).sid as string;
    await harness.now
      .sql`update sessions set last_used_at = now() - interval '30 days' where id = ${idle}::uuid`;
    const later = await call("GET", "/auth/sessions", { token: first.body.access_token });
    expect(later.body.sessions.map(({ current }: { current: boolean }) => current)).toEqual([true]);
    await refresh(harness.now, second.body.refresh_token);
    const used = await call("GET", "/auth/sessions", { token: first.body.access_token });
    expect(used.body.sessions.map(({ id }: { id: string }) => id)).toContain(idle);
  });

  test("can be ended one by one; ending one twice at once or again changes nothing", async () => {
    const person = await makePerson(harness.now);
    const [here, there] = [await signIn(harness.now, person), await signIn(harness.now, person)];
    const sid = String(claimsOf(there.access).sid);
    const end = () => call("DELETE", `/auth/sessions/${sid}`, { token: here.access });
    const lock = (tx: TransactionSql) => tx`select from sessions where id = ${sid}::uuid for update`;
    const answers = [...await behindLock(harness.now, lock, end, end), await end()];
    expect(answers.map(({ status }) => status)).toEqual([204, 204, 204]);
    expect(await statusOfMe(harness.now, there.access)).toBe(401);
    const { body } = await call("GET", "/auth/sessions", { token: here.access });
    expect(body.sessions).toHaveLength(1);
    const audit = await harness.now.sql`
      select action from audit_log where target_id = ${sid} and action = 'session.ended'`;
    expect(audit).toHaveLength(1);
  });

  test("take their cookie along when they end themselves", async () => {
    const { access } = await signIn(harness.now, await makePerson(harness.now));
    const headers = { cookie: `session=${access}` };
    const ended = await call("DELETE", `/auth/sessions/${claimsOf(access).sid}`, { headers });
    expect(ended.status).toBe(204);
    expect(ended.headers.get("set-cookie")).toMatch(/^session=; .*Max-Age=0/);
  });

  test("of others can be ended by their account's admins, and by nobody else", async () => {
    const person = await makePerson(harness.now);
    const target = await signIn(harness.now, person);
    const path = `/auth/sessions/${claimsOf(target.access).sid}`;
    const colleague = await makeUser(harness.now, { accountId: person.accountId });
    const stranger = await makeUser(harness.now, { role: "admin" });
    for (const { token } of [colleague, stranger]) {
      expect(await call("DELETE", path, { token })).toMatchObject({
        status: 404,
        body: { code: "not_found" },
      });
    }
    expect(await statusOfMe(harness.now, target.access)).toBe(200);
    expect((await call("DELETE", path, { token: person.admin.token })).status).toBe(204);
    expect(await statusOfMe(harness.now, target.access)).toBe(401);
  });

  test("are no business of API keys", async () => {
    const admin = await makeUser(harness.now, { role: "admin" });
    const { token } = await makeKey(harness.now, admin, { scopes: ["tickets:read", "admin"] });
    for (const [method, path] of [["GET", "/auth/sessions"], ["POST", "/auth/logout"]] as const) {
      expect(await call(method, path, { token })).toMatchObject({
        status: 403,
        body: { code: "insufficient_scope" },
      });
    }
  });
});

describe("a change of password", () => {
  test("is audited, ends the other sessions and keeps this one; then only the new password signs in", async () => {
    const person = await makePerson(harness.now);
    const [here, there] = [await signIn(harness.now, person), await signIn(harness.now, person)];
    const { status } = await call("POST", "/auth/password", {
      token: here.access,
      body: { current_password: person.password, new_password: "another long password" },
    });
    expect(status).toBe(204);
    const audited = await harness.now.sql`
      select actor ->> 'id' as by from audit_log
      where action = 'user.password_changed' and target_id = ${person.id}`;
    expect(audited).toEqual([{ by: person.id }]);
    expect(await statusOfMe(harness.now, here.access)).toBe(200);
    expect((await refresh(harness.now, here.refresh)).status).toBe(200);
    expect(await statusOfMe(harness.now, there.access)).toBe(401);
    expect((await refresh(harness.now, there.refresh)).status).toBe(401);
    expect((await login(harness.now, person)).status).toBe(401);
    expect((await login(harness.now, { ...person, password: "another long password" })).status).toBe(200);
  });

  test("leaves the person's keys, and revokes them where it is asked to, and nobody else's", async () => {
    const [person, other] = [await makePerson(harness.now), await makePerson(harness.now)];
    const { access } = await signIn(harness.now, person);
    const keyOf = async (token: string) => (await call("POST", "/keys", { token, body: {} })).body.key;
    const keys = [await keyOf(access), await keyOf(access)];
    const others = await keyOf((await signIn(harness.now, other)).access);
    const change = (current_password: string, more = {}) =>
      call("POST", "/auth/password", {
        token: access,
        body: { current_password, new_password: "another long password", ...more },
      });
    const valid = () => Promise.all([...keys, others].map((key) => statusOfMe(harness.now, key)));
    expect((await change(person.password)).status).toBe(204);
    expect(await valid()).toEqual([200, 200, 200]);
    expect((await change("wrong", { revoke_keys: true })).status).toBe(401);
    expect(await valid()).toEqual([200, 200, 200]);
    expect((await change("another long password", { revoke_keys: true })).status).toBe(204);
    expect(await valid()).toEqual([401, 401, 200]);
    const audited = await harness.now.sql`
      select details from audit_log where action = 'user.password_changed' and target_id = ${person.id} order by id`;
    expect(audited.map(({ details }) => details)).toEqual([{ keys_revoked: 0 }, { keys_revoked: 2 }]);
  });

  test("made twice at once counts once, and leaves the session that made it", async () => {
    const person = await makePerson(harness.now);
    const sessions = [await signIn(harness.now, person), await signIn(harness.now, person)];
    const answers = await Promise.all(sessions.map(({ access }, index) =>
      call("POST", "/auth/password", {
        token: access,
        body: { current_password: person.password, new_password: `another long password ${index}` },
      })
    ));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 401]);
    const winner = answers.findIndex(({ status }) => status === 204);
    expect(await statusOfMe(harness.now, sessions[winner]!.access)).toBe(200);
    const password = `another long password ${winner}`;
    expect((await login(harness.now, { ...person, password })).status).toBe(200);
  });

  test.each([
    ["the wrong current password", "not it at all", "another long password", 401, "invalid_credentials"],
    ["too short a new one", "", "1234567", 400, "invalid_request"],
    ["too long a new one", "", "x".repeat(201), 400, "invalid_request"],
    ["NUL in the new one", "", "a long pass\0word", 400, "invalid_request"],
  ])("with %s changes nothing", async (_, current, new_password, status, code) => {
    const person = await makePerson(harness.now);
    const [here, there] = [await signIn(harness.now, person), await signIn(harness.now, person)];
    const answer = await call("POST", "/auth/password", {
      token: here.access,
      body: { current_password: current || person.password, new_password },
    });
    expect(answer).toMatchObject({ status, body: { code } });
    if (status === 400) expect(Object.keys(answer.body.fieldErrors)).toEqual(["new_password"]);
    else expect(answer.headers.get("RateLimit-Policy")).toBe('"password";q=10;w=300');
    expect(await statusOfMe(harness.now, there.access)).toBe(200);
    expect((await login(harness.now, person)).status).toBe(200);
  });

  test("takes a new one of any script, counted in characters", async () => {
    const person = await makePerson(harness.now);
    const { access } = await signIn(harness.now, person);
    const new_password = "🔑".repeat(10);
    const body = { current_password: person.password, new_password };
    expect((await call("POST", "/auth/password", { token: access, body })).status).toBe(204);
    expect((await login(harness.now, { ...person, password: new_password })).status).toBe(200);
  });
});
