import { describe, expect, test } from "vitest";
import { behindLock } from "../behind_lock.ts";
import { makeAccount, makeKey, makeUser, type TestUser } from "../factories.ts";
import { login, makePerson, signIn, statusOfMe } from "../sessions/sign_in.ts";
import { usePeople } from "./_people.ts";

const { call, harness } = usePeople();

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
    // A second deactivation changes nothing.
    expect((await call("DELETE", path, { token: person.admin.token })).status).toBe(204);
    expect((await call("GET", path, { token: person.admin.token })).body.deactivated_at).toBe(
      body.deactivated_at,
    );
  });

  test("comes back with the password, but signs in again and has no key that works", async () => {
    const person = await makePerson(harness.now);
    const { access } = await signIn(harness.now, person);
    const { body: key } = await call("POST", "/keys", { token: access });
    const { token } = person.admin;
    await call("PATCH", `/users/${person.id}`, { token, body: { deactivated: true } });
    const listed = await call("GET", `/users/${person.id}/keys`, { token });
    expect(listed.body.keys).toMatchObject([{ id: key.id, revoked_at: expect.any(String) }]);
    // A call that was on its way already leaves such a key.
    const late = await makeKey(harness.now, { ...person, token: access, sessionId: "" });
    const { body } = await call("PATCH", `/users/${person.id}`, { token, body: { deactivated: false } });
    expect(body.deactivated_at).toBeNull();
    for (const credential of [access, key.key, late.token]) {
      expect(await statusOfMe(harness.now, credential)).toBe(401);
    }
    expect((await login(harness.now, person)).status).toBe(200);
  });

  test("who was none keeps sessions and keys when told to be active once more", async () => {
    const person = await makePerson(harness.now);
    const { access } = await signIn(harness.now, person);
    const { body: key } = await call("POST", "/keys", { token: access });
    const body = { deactivated: false, name: "Still here" };
    expect((await call("PATCH", `/users/${person.id}`, { token: person.admin.token, body })).status).toBe(
      200,
    );
    for (const credential of [access, key.key]) expect(await statusOfMe(harness.now, credential)).toBe(200);
  });
});

const WAYS_TO_LEAVE = [{ deactivated: true }, { role: "member" }, { kind: "bot" }];

/** Both turn themselves into bots at the same moment. */
async function turnAtOnce(admins: TestUser[]): Promise<number[]> {
  const answers = await behindLock(
    harness.now,
    (tx) => tx`select from users where id in ${tx(admins.map(({ id }) => id))} for update`,
    ...admins.map(({ id, token }) => () => call("PATCH", `/users/${id}`, { token, body: { kind: "bot" } })),
  );
  return answers.map(({ status }) => status).sort();
}

describe("the last active super admin", () => {
  /** Makes sure that the installation has exactly this number of active super admins. */
  async function superAdmins(count: number) {
    await harness.now.sql`update users set deactivated_at = now() where role = 'super_admin'`;
    harness.now.services.access.clear();
    return await Promise.all(
      Array.from({ length: count }, () => makeUser(harness.now, { role: "super_admin" })),
    );
  }
  async function active(): Promise<number> {
    const [row] = await harness.now.sql<[{ n: number }]>`
      select count(*) as n from users where role = 'super_admin' and kind = 'human' and deactivated_at is null`;
    return row.n;
  }

  test("can neither be deactivated, lose the role nor become a bot, not even by themselves", async () => {
    const [last] = await superAdmins(1);
    // A bot doesn't count.
    await makeUser(harness.now, { role: "super_admin", kind: "bot" });
    const path = `/users/${last!.id}`;
    const { token } = last!;
    for (const body of [...WAYS_TO_LEAVE, { role: "admin" }, { role: "super_admin", kind: "bot" }]) {
      expect(await call("PATCH", path, { token, body })).toMatchObject({
        status: 409,
        body: { code: "conflict" },
      });
    }
    expect((await call("DELETE", path, { token })).status).toBe(409);
    expect((await call("PATCH", path, { token, body: { name: "Still here" } })).status).toBe(200);
    expect(await active()).toBe(1);
  });

  test.each(WAYS_TO_LEAVE)("may go when another stays: %o", async (body) => {
    const [one] = await superAdmins(2);
    expect((await call("PATCH", `/users/${one!.id}`, { token: one!.token, body })).status).toBe(200);
    expect(await active()).toBe(1);
  });

  test("stays a person when two turn themselves into bots at once", async () => {
    expect(await turnAtOnce(await superAdmins(2))).toEqual([200, 409]);
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

describe("the last active admin of an account", () => {
  async function admins(count: number) {
    const accountId = await makeAccount(harness.now);
    return await Promise.all(
      Array.from({ length: count }, () => makeUser(harness.now, { role: "admin", accountId })),
    );
  }

  test.each(WAYS_TO_LEAVE)("can't go by themselves, but a super admin may remove them: %o", async (body) => {
    const [last] = await admins(1);
    await makeUser(harness.now, { role: "admin", kind: "bot", accountId: last!.accountId });
    const path = `/users/${last!.id}`;
    const { token } = last!;
    expect(await call("PATCH", path, { token, body })).toMatchObject({
      status: 409,
      body: { code: "conflict" },
    });
    const unchanged = { role: "admin", name: "Still here" };
    expect((await call("PATCH", path, { token, body: unchanged })).status).toBe(200);
    const root = await makeUser(harness.now, { role: "super_admin" });
    expect((await call("PATCH", path, { token: root.token, body })).status).toBe(200);
  });

  test.each(WAYS_TO_LEAVE)("may go when another stays: %o", async (body) => {
    const [one] = await admins(2);
    expect((await call("PATCH", `/users/${one!.id}`, { token: one!.token, body })).status).toBe(200);
  });

  test("is removed by no bot, and not by another who leaves at once", async () => {
    const [last] = await admins(1);
    const bot = await makeUser(harness.now, { role: "admin", kind: "bot", accountId: last!.accountId });
    expect((await call("DELETE", `/users/${last!.id}`, { token: bot.token })).status).toBe(409);
    const [one, two] = await admins(2);
    const answers = await behindLock(
      harness.now,
      (tx) => tx`select from users where id in ${tx([one!.id, two!.id])} for update`,
      () => call("DELETE", `/users/${two!.id}`, { token: one!.token }),
      () => call("DELETE", `/users/${one!.id}`, { token: two!.token }),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([204, 401]);
  });

  test("stays a person when two turn themselves into bots at once", async () => {
    expect(await turnAtOnce(await admins(2))).toEqual([200, 409]);
  });
});
