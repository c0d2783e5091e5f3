import { describe, expect, test } from "vitest";
import { makeAccount, makeKey, makeUser, next } from "../factories.ts";
import { useHarness } from "../harness.ts";
import { login, makePerson, signIn, statusOfMe } from "../sessions/_sign_in.ts";

const harness = useHarness();
const call = (...args: Parameters<typeof harness.now.call>) => harness.now.call(...args);
const admin = () => makeUser(harness.now, { role: "admin" });
const someone = (fields: Record<string, unknown> = {}) => ({
  email: `someone${next()}@example.test`,
  name: "Some One",
  ...fields,
});

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

  test("gives no link when a password came, nor to a bot", async () => {
    const { token } = await admin();
    const given = someone({ password: "a long password" });
    expect((await call("POST", "/users", { token, body: given })).body.invite_url).toBeNull();
    expect((await login(harness.now, { email: given.email, password: "a long password" })).status).toBe(200);
    expect((await call("POST", "/users", { token, body: someone({ kind: "bot" }) })).body.invite_url)
      .toBeNull();
  });

  test("refuses an email that anyone has, in whatever case, also of ten at once", async () => {
    const { token } = await admin();
    const elsewhere = await admin();
    const email = `Mixed.Case${next()}@Example.test`;
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
    expect((await call("POST", "/users", { token, body: someone({ role: "super_admin" }) })).status).toBe(
      403,
    );
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

describe("an invitation", () => {
  async function invited() {
    const { token } = await admin();
    const input = someone();
    const { body } = await call("POST", "/users", { token, body: input });
    return { id: body.id, email: input.email, admin: token, token: new URL(body.invite_url).hash.slice(1) };
  }
  const accept = (token: string, password = "my own long password") =>
    call("POST", "/users/invitations/accept", {
      address: `10.5.0.${next() % 250}`,
      body: { token, password },
    });

  test("sets the first password once; then it signs in", async () => {
    const { token, email, id } = await invited();
    expect((await login(harness.now, { email, password: "" })).status).toBe(400);
    expect((await login(harness.now, { email, password: "my own long password" })).status).toBe(401);
    expect((await accept(token)).body).toMatchObject({ id, email });
    expect(await accept(token, "somebody else's password")).toMatchObject({
      status: 404,
      body: { code: "not_found" },
    });
    expect((await login(harness.now, { email, password: "my own long password" })).status).toBe(200);
  });

  test("works for one of ten at once", async () => {
    const { token, email } = await invited();
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => accept(token, `password number ${index}`)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(404)]);
    const winner = answers.findIndex(({ status }) => status === 200);
    expect((await login(harness.now, { email, password: `password number ${winner}` })).status).toBe(200);
  });

  test("ends after seven days, with its user, and is unknown to who guesses", async () => {
    const [late, gone] = [await invited(), await invited()];
    const [row] = await harness.now.sql`
      select extract(epoch from expires_at - created_at) / 86400 as days from invitations where user_id = ${late.id}::uuid`;
    expect(Number(row!.days)).toBe(7);
    await harness.now.sql`update invitations set expires_at = now() where user_id = ${late.id}::uuid`;
    expect((await accept(late.token)).status).toBe(404);
    await call("DELETE", `/users/${gone.id}`, { token: gone.admin });
    expect((await accept(gone.token)).status).toBe(404);
    await call("PATCH", `/users/${gone.id}`, { token: gone.admin, body: { deactivated: false } });
    expect((await accept(gone.token)).status).toBe(200);
    expect((await accept("x".repeat(43))).status).toBe(404);
  });

  test("with too short a password is not used up", async () => {
    const { token } = await invited();
    expect(Object.keys((await accept(token, "short")).body.fieldErrors)).toEqual(["password"]);
    expect((await accept(token)).status).toBe(200);
  });
});

describe("a deactivated user", () => {
  test("is refused by password, session, refresh and key, and keeps the rows", async () => {
    const person = await makePerson(harness.now);
    const { access, refresh } = await signIn(harness.now, person);
    const { body: key } = await call("POST", "/keys", { token: access });
    const path = `/users/${person.id}`;
    expect((await call("DELETE", path, { token: person.admin.token })).status).toBe(204);
    expect((await login(harness.now, person)).status).toBe(401);
    for (const token of [access, key.key]) expect(await statusOfMe(harness.now, token)).toBe(401);
    const again = await call("POST", "/auth/refresh", {
      address: "10.6.0.1",
      body: { refresh_token: refresh },
    });
    expect(again.status).toBe(401);
    const { body } = await call("GET", path, { token: person.admin.token });
    expect(body.deactivated_at).not.toBeNull();
    // Once more changes nothing.
    expect((await call("DELETE", path, { token: person.admin.token })).status).toBe(204);
    expect((await call("GET", path, { token: person.admin.token })).body.deactivated_at).toBe(
      body.deactivated_at,
    );
  });

  test("comes back with password and keys, but signs in anew", async () => {
    const person = await makePerson(harness.now);
    const { access } = await signIn(harness.now, person);
    const { body: key } = await call("POST", "/keys", { token: access });
    const { token } = person.admin;
    await call("PATCH", `/users/${person.id}`, { token, body: { deactivated: true } });
    const { body } = await call("PATCH", `/users/${person.id}`, { token, body: { deactivated: false } });
    expect(body.deactivated_at).toBeNull();
    expect(await statusOfMe(harness.now, access)).toBe(401);
    expect(await statusOfMe(harness.now, key.key)).toBe(200);
    expect((await login(harness.now, person)).status).toBe(200);
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
    const rows = await harness.now.sql`
      select action, details, actor ->> 'id' as by from audit_log where target_id = ${person.id} order by id`;
    expect(rows).toEqual([
      {
        action: "user.created",
        details: { email: person.email, kind: "human", role: "member" },
        by: person.admin.id,
      },
      { action: "user.updated", details: { role: "admin" }, by: person.admin.id },
      { action: "user.deactivated", details: { deactivated: true }, by: person.admin.id },
    ]);
  });
});

describe("the last active super admin", () => {
  /** Exactly so many active ones in the whole installation. */
  async function superAdmins(count: number) {
    await harness.now.sql`update users set deactivated_at = now() where role = 'super_admin'`;
    harness.now.services.access.clear();
    return await Promise.all(
      Array.from({ length: count }, () => makeUser(harness.now, { role: "super_admin" })),
    );
  }
  async function active(): Promise<number> {
    const [row] = await harness.now.sql<[{ n: number }]>`
      select count(*) as n from users where role = 'super_admin' and deactivated_at is null`;
    return row.n;
  }

  test("can neither be deactivated nor lose the role, not even by themselves", async () => {
    const [last] = await superAdmins(1);
    const path = `/users/${last!.id}`;
    const { token } = last!;
    for (const body of [{ deactivated: true }, { role: "member" }, { role: "admin" }]) {
      expect(await call("PATCH", path, { token, body })).toMatchObject({
        status: 409,
        body: { code: "conflict" },
      });
    }
    expect((await call("DELETE", path, { token })).status).toBe(409);
    expect((await call("PATCH", path, { token, body: { name: "Still here" } })).status).toBe(200);
    expect(await active()).toBe(1);
  });

  test.each([2, 5])("of %i who leave at once stays, and nobody hears of a fault", async (count) => {
    for (let round = 0; round < 5; round++) {
      const all = await superAdmins(count);
      const answers = await Promise.all(
        all.map(({ id, token }) => call("DELETE", `/users/${id}`, { token })),
      );
      const statuses = answers.map(({ status }) => status).sort();
      expect(statuses).toEqual([...Array(count - 1).fill(204), 409]);
      expect(await active()).toBe(1);
    }
  });

  test.each([2, 4])("of %i who depose each other at once stays", async (count) => {
    const all = await superAdmins(count);
    const answers = await Promise.all(
      all.map(({ token }, index) =>
        call("PATCH", `/users/${all[(index + 1) % count]!.id}`, { token, body: { role: "member" } })
      ),
    );
    for (const { status } of answers) expect([200, 401, 403, 409]).toContain(status);
    expect(await active()).toBeGreaterThan(0);
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
    expect((await call("GET", query, { token: root.token })).body.users).toHaveLength(5);
    expect((await call("GET", query, { token: (await admin()).token })).status).toBe(403);
  });

  test("is not for keys without the scope admin", async () => {
    const owner = await admin();
    const { token } = await makeKey(harness.now, owner);
    expect((await call("GET", "/users", { token })).body.code).toBe("insufficient_scope");
  });
});
