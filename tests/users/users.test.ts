import { describe, expect, test } from "vitest";
import { makeAccount, makeKey, makeUser, next } from "../factories.ts";
import { login, makePerson, signIn } from "../sessions/sign_in.ts";
import { usePeople } from "./_people.ts";

const { admin, call, harness, someone } = usePeople();

describe("adding a user", () => {
  test("answers 201 with the user, and an invite link when no password came", async () => {
    const { token, accountId } = await admin();
    const input = someone();
    const { status, body, headers } = await call("POST", "/users", { token, body: input });
    expect(status).toBe(201);
    expect(headers.get("location")).toBe(`/api/users/${body.id}`);
    expect(body).toEqual({
      ...input,
      id: expect.any(String),
      account_id: accountId,
      kind: "human",
      role: "member",
      deactivated_at: null,
      created_at: expect.any(String),
      updated_at: body.created_at,
      invite_url: expect.stringMatching(/^http:\/\/handoff\.test\/invite#[A-Za-z0-9_-]{43}$/),
    });
    const { invite_url: _, ...user } = body;
    expect((await call("GET", `/users/${body.id}`, { token })).body).toEqual(user);
  });

  test("gives no link when a password came; a bot gets one too", async () => {
    const { token } = await admin();
    const given = someone({ password: "a long password" });
    expect((await call("POST", "/users", { token, body: given })).body.invite_url).toBeNull();
    expect((await login(harness.now, { email: given.email, password: "a long password" })).status).toBe(200);
    const bot = someone({ kind: "bot" });
    const { body } = await call("POST", "/users", { token, body: bot });
    const accepted = { token: new URL(body.invite_url).hash.slice(1), password: "a bot's long password" };
    expect((await call("POST", "/users/invitations/accept", { body: accepted })).body.kind).toBe("bot");
    expect((await login(harness.now, { email: bot.email, password: accepted.password })).status).toBe(200);
  });

  test("refuses an email that is none, or that anyone has in any case of letters, also one of ten at once", async () => {
    const { token } = await admin();
    const elsewhere = await admin();
    const email = `Mixed.Case${next()}@Example.test`;
    const counted = async () =>
      (await harness.now.services.metrics.takenEmails.get()).values.reduce(
        (sum, { value }) => sum + value,
        0,
      );
    const before = await counted();
    const made = await Promise.all(
      Array.from(
        { length: 10 },
        (_, index) =>
          call("POST", "/users", {
            token,
            body: someone({ email: index % 2 ? email : email.toLowerCase() }),
          }),
      ),
    );
    expect(made.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)]);
    const other = await call("POST", "/users", {
      token: elsewhere.token,
      body: someone({ email: email.toUpperCase() }),
    });
    expect(other).toMatchObject({ status: 409, body: { code: "conflict" } });
    expect(await counted() - before).toBe(10);
    for (const email of ["nobody", "a b@example.test", "a@example.test b"]) {
      const { status, body } = await call("POST", "/users", { token, body: someone({ email }) });
      expect([status, Object.keys(body.fieldErrors)]).toEqual([400, ["email"]]);
    }
  });

  test("is for admins, in their own account, and never above themselves", async () => {
    const accountId = await makeAccount(harness.now);
    const member = await makeUser(harness.now);
    const { token } = await admin();
    const root = await makeUser(harness.now, { role: "super_admin" });
    expect((await call("POST", "/users", { token: member.token, body: someone() })).status).toBe(403);
    expect((await call("POST", "/users", { token, body: someone({ account_id: accountId }) })).status).toBe(
      403,
    );
    const above = await call("POST", "/users", { token, body: someone({ role: "super_admin" }) });
    expect([above.status, above.body.error]).toEqual([
      403,
      "Only a super admin may make or manage a super admin",
    ]);
    const made = await call("POST", "/users", {
      token: root.token,
      body: someone({ account_id: accountId, role: "admin" }),
    });
    expect(made.body).toMatchObject({ account_id: accountId, role: "admin" });
    const nowhere = await call("POST", "/users", {
      token: root.token,
      body: someone({ account_id: crypto.randomUUID() }),
    });
    expect(nowhere.status).toBe(404);
  });
});

describe("changing a user", () => {
  test("changes what is given; a new role counts at once", async () => {
    const person = await makePerson(harness.now);
    const { access } = await signIn(harness.now, person);
    const { token } = person.admin;
    const path = `/users/${person.id}`;
    const before = (await call("GET", path, { token })).body;
    const { body } = await call("PATCH", path, { token, body: { role: "admin", name: "Promoted" } });
    expect(body).toEqual({ ...before, role: "admin", name: "Promoted", updated_at: body.updated_at });
    expect((await call("GET", "/users", { token: access })).status).toBe(200);
    await call("PATCH", path, { token, body: { role: "member" } });
    expect((await call("GET", "/users", { token: access })).status).toBe(403);
  });

  test("refuses an email that another has, and what an admin may not do to a super admin", async () => {
    const owner = await admin();
    const [one, other] = [
      await makeUser(harness.now, { accountId: owner.accountId }),
      await makeUser(harness.now, { accountId: owner.accountId, role: "super_admin" }),
    ];
    const taken = await call("PATCH", `/users/${one.id}`, {
      token: owner.token,
      body: { email: other.email.toUpperCase() },
    });
    expect(taken).toMatchObject({ status: 409, body: { code: "conflict" } });
    for (
      const body of [{ role: "member" }, { name: "Nobody" }, { deactivated: true }, {
        email: "mine@example.test",
      }]
    ) {
      expect((await call("PATCH", `/users/${other.id}`, { token: owner.token, body })).status).toBe(403);
    }
    expect((await call("DELETE", `/users/${other.id}`, { token: owner.token })).status).toBe(403);
    expect(
      (await call("PATCH", `/users/${one.id}`, { token: owner.token, body: { role: "super_admin" } })).status,
    ).toBe(403);
  });

  test("of another account is not found, but for super admins", async () => {
    const stranger = await makeUser(harness.now);
    const { token } = await admin();
    const path = `/users/${stranger.id}`;
    expect((await call("GET", path, { token })).status).toBe(404);
    expect((await call("PATCH", path, { token, body: { name: "Mine" } })).status).toBe(404);
    expect((await call("DELETE", path, { token })).status).toBe(404);
    const root = await makeUser(harness.now, { role: "super_admin" });
    expect((await call("PATCH", path, { token: root.token, body: { name: "Seen" } })).body.name).toBe("Seen");
  });

  test("is audited with what was changed, and without secrets", async () => {
    const person = await makePerson(harness.now);
    await call("PATCH", `/users/${person.id}`, { token: person.admin.token, body: { role: "admin" } });
    await call("DELETE", `/users/${person.id}`, { token: person.admin.token });
    const { body: gone } = await call("GET", `/users/${person.id}`, { token: person.admin.token });
    const renamed = { deactivated: true, name: "Gone" };
    for (let turn = 1; turn <= 2; turn++) {
      const { body } = await call("PATCH", `/users/${person.id}`, {
        token: person.admin.token,
        body: renamed,
      });
      expect(body).toMatchObject({ name: "Gone", deactivated_at: gone.deactivated_at });
    }
    const rows = await harness.now.sql`
      select action, details, actor ->> 'id' as by from audit_log where target_id = ${person.id} order by id`;
    expect(rows).toEqual([
      {
        action: "user.created",
        details: { email: person.email, name: "Person", kind: "human", role: "member" },
        by: person.admin.id,
      },
      { action: "user.updated", details: { role: "admin" }, by: person.admin.id },
      { action: "user.deactivated", details: { deactivated: true }, by: person.admin.id },
      { action: "user.updated", details: renamed, by: person.admin.id },
    ]);
  });
});

describe("listing users", () => {
  test("shows the account's, page by page; another account's to super admins only", async () => {
    const owner = await admin();
    const ids = [owner.id];
    for (let i = 0; i < 4; i++) ids.push((await makeUser(harness.now, { accountId: owner.accountId })).id);
    const first = await call("GET", "/users?limit=3", { token: owner.token });
    const second = await call("GET", `/users?limit=3&cursor=${first.body.next_cursor}`, {
      token: owner.token,
    });
    const seen = [...first.body.users, ...second.body.users].map(({ id }: { id: string }) => id);
    expect(seen.toSorted()).toEqual(ids.toSorted());
    expect(second.body.next_cursor).toBeNull();
    expect(JSON.stringify(first.body)).not.toContain("password");
    const root = await makeUser(harness.now, { role: "super_admin" });
    const query = `/users?account_id=${owner.accountId}`;
    for (const { token } of [root, owner]) {
      expect((await call("GET", query, { token })).body.users).toHaveLength(5);
    }
    expect((await call("GET", query, { token: (await admin()).token })).status).toBe(403);
  });

  test("finds by the beginning of a word of the name or of the email, active users or not", async () => {
    const owner = await admin();
    const user = await makeUser(harness.now, { accountId: owner.accountId });
    const find = async (query: string) => {
      const { body } = await call("GET", `/users?${query}`, { token: owner.token });
      return body.users.map(({ id }: { id: string }) => id);
    };
    expect(await find("q=USER")).toEqual([owner.id, user.id].toSorted());
    expect(await find(`q=${user.email.toUpperCase()}`)).toEqual([user.id]);
    expect(await find("q=example.test")).toEqual([]);
    await call("DELETE", `/users/${user.id}`, { token: owner.token });
    expect(await find("q=test&deactivated=false")).toEqual([owner.id]);
    expect(await find("q=test&deactivated=true")).toEqual([user.id]);
  });

  test("is not for keys without the scope admin", async () => {
    const owner = await admin();
    const { token } = await makeKey(harness.now, owner);
    expect((await call("GET", "/users", { token })).body.code).toBe("insufficient_scope");
  });
});

test("bot clients make bots only: they never become a person, nor get hold of one", async () => {
  const owner = await admin();
  const { accountId } = owner;
  const bot = await makeUser(harness.now, { role: "admin", kind: "bot", accountId });
  const key = await makeKey(harness.now, owner, { scopes: ["admin"] });
  const colleague = await makeUser(harness.now, { accountId });
  for (const { token } of [bot, key]) {
    const refused = [
      await call("PATCH", `/users/${bot.id}`, { token, body: { kind: "human" } }),
      await call("POST", "/users", { token, body: someone() }),
      await call("POST", "/users", { token, body: someone({ password: "a long password" }) }),
      await call("POST", `/users/${colleague.id}/invitation`, { token }),
    ];
    for (const { status, body } of refused) expect([status, body.code]).toEqual([403, "forbidden"]);
    const { status, body } = await call("POST", "/users", { token, body: someone({ kind: "bot" }) });
    expect(status).toBe(201);
    expect((await call("POST", `/users/${body.id}/invitation`, { token })).status).toBe(201);
  }
  expect((await call("GET", `/users/${bot.id}`, { token: owner.token })).body.kind).toBe("bot");
});
