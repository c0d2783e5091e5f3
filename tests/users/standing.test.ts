import { describe, expect, test, vi } from "vitest";
import { log } from "../../src/core/log.ts";
import { behindLock } from "../behind_lock.ts";
import { makeAccount, makeMember, makeProject, makeUser, type TestUser } from "../factories.ts";
import { useSecondHarness } from "../harness.ts";
import { makePerson, signIn, statusOfMe } from "../sessions/sign_in.ts";
import { usePeople } from "./_people.ts";

const { call, harness, someone } = usePeople();

/** A second process, which remembers for a moment who a caller was. */
const second = useSecondHarness(harness);

/**
 * Each user acts on the other or on themselves. Both calls pass the access check before either is
 * done, and the first caller's call comes first.
 */
function atOnce(users: { id: string }[], ...calls: (() => ReturnType<typeof call>)[]) {
  const ids = users.map(({ id }) => id);
  return behindLock(harness.now, (tx) => tx`select from users where id in ${tx(ids)} for update`, ...calls);
}

function setRole(by: TestUser, of: TestUser, role: string) {
  return () => call("PATCH", `/users/${of.id}`, { token: by.token, body: { role } });
}

describe("who is losing a right", () => {
  test("as a super admin cannot take the role from who takes it from them", async () => {
    const [a, b] = [
      await makeUser(harness.now, { role: "super_admin" }),
      await makeUser(harness.now, { role: "super_admin" }),
    ];
    await makeUser(harness.now, { role: "super_admin" });
    const answers = await atOnce([a, b], setRole(a, b, "member"), setRole(b, a, "member"));
    expect(answers.map(({ status }) => status)).toEqual([200, 403]);
  });

  test("as a super admin cannot take the role back", async () => {
    const [a, b] = [
      await makeUser(harness.now, { role: "super_admin" }),
      await makeUser(harness.now, { role: "super_admin" }),
    ];
    const answers = await atOnce([b], setRole(a, b, "member"), setRole(b, b, "super_admin"));
    expect(answers.map(({ status }) => status)).toEqual([200, 403]);
  });

  test("cannot come back from being deactivated", async () => {
    const person = await makePerson(harness.now, { role: "admin" });
    const { access } = await signIn(harness.now, person);
    const setDeactivated = (token: string, deactivated: boolean) => () =>
      call("PATCH", `/users/${person.id}`, { token, body: { deactivated } });
    const answers = await atOnce(
      [person],
      setDeactivated(person.admin.token, true),
      setDeactivated(access, false),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 401]);
  });

  test.each([
    ["role", (admin: TestUser, user: TestUser) => setRole(admin, user, "member")()],
    ["session", (_: TestUser, { token }: TestUser) => call("POST", "/auth/logout", { token })],
  ])("and is adding a user keeps the %s until it is done: behind its end nobody appears", async (_, end) => {
    const accountId = await makeAccount(harness.now);
    const [admin, user] = [
      await makeUser(harness.now, { accountId, role: "admin" }),
      await makeUser(harness.now, { accountId, role: "admin" }),
    ];
    const { id, email } = await makeUser(harness.now);
    const answers = await behindLock(
      harness.now,
      (tx) =>
        tx`with s as (delete from sessions where user_id = ${id}::uuid) delete from users where id = ${id}::uuid`,
      () => call("POST", "/users", { token: user.token, body: someone({ email }) }),
      () => end(admin, user),
    );
    expect(answers.map(({ status }) => status < 300)).toEqual([true, true]);
  });

  test("as an admin of a project cannot put themselves back", async () => {
    const project = await makeProject(harness.now);
    const { id, token } = await makeMember(harness.now, project, "admin");
    const path = `${project.path}/members/${id}`;
    const answers = await behindLock(
      harness.now,
      (tx) => tx`select from projects where id = ${project.id}::uuid for update`,
      () => call("DELETE", path, { token: project.admin.token }),
      () => call("PUT", path, { token, body: { role: "admin" } }),
    );
    expect(answers.map(({ status }) => status)).toEqual([204, 403]);
  });
});

describe("where another process remembers who they were", () => {
  /** The second process knows the user, and the first process deactivates the user. */
  async function deactivated() {
    const person = await makePerson(harness.now, { role: "admin" });
    const { access } = await signIn(harness.now, person);
    expect(await statusOfMe(second.now, access)).toBe(200);
    await call("DELETE", `/users/${person.id}`, { token: person.admin.token });
    return { ...person, access };
  }

  test("who is deactivated comes not back", async () => {
    const { id, access, admin } = await deactivated();
    const back = { token: access, body: { deactivated: false } };
    expect((await second.now.call("PATCH", `/users/${id}`, back)).status).toBe(401);
    const { body } = await call("GET", `/users/${id}`, { token: admin.token });
    expect(body.deactivated_at).not.toBeNull();
  });

  test("who is deactivated leaves nobody behind, no link and no key", async () => {
    const { access, admin } = await deactivated();
    const bot = {
      email: `${crypto.randomUUID()}@example.test`,
      name: "Back door",
      kind: "bot",
      role: "admin",
    };
    for (
      const [path, body] of [["/users", bot], [`/users/${admin.id}/invitation`, {}], ["/keys", {}]] as const
    ) {
      expect([path, (await second.now.call("POST", path, { token: access, body })).status]).toEqual([
        path,
        401,
      ]);
    }
  });

  test.each([
    ["users", "deactivated_at"],
    ["sessions", "revoked_at"],
    ["sessions", "expires_at"],
  ])("who is let in still, but has %s.%s behind them, leaves no key", async (table, column) => {
    const { id, sessionId, token } = await makeUser(harness.now);
    expect(await statusOfMe(harness.now, token)).toBe(200);
    const { sql } = harness.now;
    await sql`
      update ${sql(table)} set ${sql(column)} = now() where id = ${table === "users" ? id : sessionId}::uuid`;
    expect((await call("POST", "/keys", { token, body: {} })).status).toBe(401);
  });

  test("who was promoted since may go on", async () => {
    const person = await makePerson(harness.now);
    const { access } = await signIn(harness.now, person);
    expect(await statusOfMe(second.now, access)).toBe(200);
    await call("PATCH", `/users/${person.id}`, { token: person.admin.token, body: { role: "admin" } });
    expect((await second.now.call("POST", "/keys", { token: access, body: {} })).status).toBe(201);
  });

  test("who was made a bot makes nobody a person, themselves included", async () => {
    const person = await makePerson(harness.now, { role: "admin" });
    const { access } = await signIn(harness.now, person);
    expect(await statusOfMe(second.now, access)).toBe(200);
    await call("PATCH", `/users/${person.id}`, { token: person.admin.token, body: { kind: "bot" } });
    for (
      const [method, path, body] of [
        ["PATCH", `/users/${person.id}`, { kind: "human" }],
        ["POST", "/users", someone()],
      ] as const
    ) {
      expect([path, (await second.now.call(method, path, { token: access, body })).status]).toEqual([
        path,
        403,
      ]);
    }
  });

  test("a session that has ended leaves no key, though another one of the user lives on", async () => {
    const person = await makePerson(harness.now);
    const { access, cookie } = await signIn(harness.now, person);
    await signIn(harness.now, person);
    expect(await statusOfMe(second.now, access)).toBe(200);
    const { status } = await call("POST", "/auth/logout", { headers: { cookie } });
    expect(status).toBeLessThan(300);
    expect((await second.now.call("POST", "/keys", { token: access, body: {} })).status).toBe(401);
  });

  test("who was removed from a project puts nobody back", async () => {
    const project = await makeProject(harness.now);
    const { id, token } = await makeMember(harness.now, project, "admin");
    expect((await second.now.call("GET", project.path, { token })).status).toBe(200);
    await call("DELETE", `${project.path}/members/${id}`, { token: project.admin.token });
    for (const method of ["PUT", "DELETE"]) {
      const { status } = await second.now.call(method, `${project.path}/members/${id}`, {
        token,
        ...(method === "PUT" && { body: { role: "admin" } }),
      });
      expect(status).toBe(403);
    }
  });
});

test("who gives a member a role and who changes them wait for each other in one order", async () => {
  const accountId = await makeAccount(harness.now);
  const member = await makeUser(harness.now, { accountId });
  const admin = await makeUser(harness.now, { accountId, role: "admin" });
  const project = await makeProject(harness.now, { admin });
  const path = `${project.path}/members/${member.id}`;
  await call("PUT", path, { token: admin.token, body: { role: "viewer" } });
  const warn = vi.spyOn(log, "warn");
  const answers = await behindLock(
    harness.now,
    (tx) => tx`delete from project_members where user_id = ${member.id}::uuid`,
    () => call("PUT", path, { token: admin.token, body: { role: "member" } }),
    () => call("PATCH", `/users/${member.id}`, { token: admin.token, body: { name: "New" } }),
  );
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(warn.mock.calls.map(([message]) => message)).not.toContain("deadlock, trying again");
  warn.mockRestore();
});
