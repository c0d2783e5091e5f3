import { beforeAll, describe, expect, test } from "vitest";
import { makeKey, makeUser, next, type TestUser } from "../factories.ts";
import { useHarness } from "../harness.ts";

const harness = useHarness();
let admin: TestUser;
let member: TestUser;
let owner: TestUser;

beforeAll(async () => {
  admin = await makeUser(harness.now, { role: "admin" });
  member = await makeUser(harness.now, { accountId: admin.accountId });
  owner = await makeUser(harness.now, { accountId: admin.accountId, role: "super_admin" });
});

function call(method: string, path: string, token: string, body?: unknown) {
  return harness.now.call(method, path, { token, body });
}

describe("an admin", () => {
  test("sees and ends a user's sessions and keys, which are refused from then on; a super admin everybody's", async () => {
    const own = await makeUser(harness.now, { accountId: admin.accountId });
    for (const [{ token }, user] of [[admin, own], [owner, await makeUser(harness.now)]] as const) {
      const key = await makeKey(harness.now, user);
      const sessions = await call("GET", `/users/${user.id}/sessions`, token);
      expect(sessions.body.sessions).toMatchObject([{ id: user.sessionId, current: false }]);
      const keys = await call("GET", `/users/${user.id}/keys`, token);
      expect(keys.body.keys).toMatchObject([{ id: key.id, user_id: user.id, revoked_at: null }]);
      expect(JSON.stringify(keys.body)).not.toContain(key.token);

      expect((await call("DELETE", `/auth/sessions/${user.sessionId}`, token)).status).toBe(204);
      expect((await call("DELETE", `/keys/${key.id}`, token)).status).toBe(204);
      expect((await call("GET", "/auth/me", user.token)).status).toBe(401);
      expect((await call("GET", "/auth/me", key.token)).status).toBe(401);
      expect((await call("GET", `/users/${user.id}/sessions`, token)).body.sessions).toEqual([]);
    }
  });

  test("has no say over users of another account, nor over a super admin of the same", async () => {
    const stranger = await makeUser(harness.now);
    const key = await makeKey(harness.now, owner);
    for (const what of ["sessions", "keys"]) {
      expect((await call("GET", `/users/${stranger.id}/${what}`, admin.token)).status).toBe(404);
      expect((await call("GET", `/users/${owner.id}/${what}`, admin.token)).status).toBe(403);
      expect((await call("GET", `/users/${member.id}/${what}`, owner.token)).status).toBe(200);
    }
    expect((await call("POST", `/users/${owner.id}/invitation`, admin.token, {})).status).toBe(403);
    expect((await call("DELETE", `/auth/sessions/${stranger.sessionId}`, admin.token)).status).toBe(404);
    expect((await call("DELETE", `/auth/sessions/${owner.sessionId}`, admin.token)).status).toBe(404);
    expect((await call("DELETE", `/keys/${key.id}`, admin.token)).status).toBe(404);
    expect((await call("GET", "/auth/me", owner.token)).status).toBe(200);
  });

  test("makes a new link for who lost the first: only the last one works, once, and old sessions end", async () => {
    const email = `invited${next()}@example.test`;
    const created = await call("POST", "/users", admin.token, { email, name: "Invited" });
    const links = [created.body.invite_url];
    for (let n = 0; n < 2; n++) {
      const { status, body } = await call("POST", `/users/${created.body.id}/invitation`, admin.token, {});
      expect(status).toBe(201);
      links.push(body.invite_url);
    }
    const accept = (link: string, password: string) =>
      harness.now.call("POST", "/users/invitations/accept", {
        body: { token: link.split("#")[1], password },
      });
    const password = "a long enough password";
    expect((await accept(links[0], password)).status).toBe(404);
    expect((await accept(links[1], password)).status).toBe(404);
    expect((await accept(links[2], password)).status).toBe(200);
    expect((await accept(links[2], password)).status).toBe(404);
    const login = await harness.now.call("POST", "/auth/login", { body: { email, password } });
    const again = await call("POST", `/users/${created.body.id}/invitation`, admin.token, {});
    expect((await accept(again.body.invite_url, "another long password")).status).toBe(200);
    expect((await call("GET", "/auth/me", login.body.access_token)).status).toBe(401);
    const audited = await harness.now.sql`
      select action from audit_log where target_id = ${created.body.id} and action like 'user.invit%' order by id`;
    expect(audited.map(({ action }) => action)).toEqual([
      "user.invited",
      "user.invited",
      "user.invitation_accepted",
      "user.invited",
      "user.invitation_accepted",
    ]);
  });

  test("makes a link for a bot too, and none for who is deactivated", async () => {
    const bot = await makeUser(harness.now, { accountId: admin.accountId, kind: "bot" });
    expect((await call("POST", `/users/${bot.id}/invitation`, admin.token, {})).status).toBe(201);
    const gone = await makeUser(harness.now, { accountId: admin.accountId });
    await call("DELETE", `/users/${gone.id}`, admin.token);
    const refused = await call("POST", `/users/${gone.id}/invitation`, admin.token, {});
    expect(refused.body.code).toBe("conflict");
  });
});

describe("the last super admin", () => {
  test("can neither deactivate themself nor give the role away", async () => {
    await harness.now
      .sql`update users set role = 'admin' where role = 'super_admin' and id <> ${owner.id}::uuid`;
    harness.now.services.access.clear();
    const deactivated = await call("DELETE", `/users/${owner.id}`, owner.token);
    expect([deactivated.status, deactivated.body.code]).toEqual([409, "conflict"]);
    expect((await call("PATCH", `/users/${owner.id}`, owner.token, { role: "member" })).status).toBe(409);
    expect((await call("GET", "/auth/me", owner.token)).body.user.role).toBe("super_admin");
  });
});

describe("the storage figures", () => {
  test("name the size of the database and of every table, for super admins", async () => {
    const { status, body } = await call("GET", "/admin/storage", owner.token);
    expect(status).toBe(200);
    expect(body.bytes).toBeGreaterThan(1_000_000);
    expect(body.tables.map(({ name }: { name: string }) => name)).toEqual(
      expect.arrayContaining(["public.tickets", "public.users", "pgboss.queue"]),
    );
    const sizes = body.tables.map((table: { bytes: number; index_bytes: number }) =>
      table.bytes + table.index_bytes
    );
    expect(sizes).toEqual(sizes.toSorted((a: number, b: number) => b - a));
    expect((await call("GET", "/admin/storage", admin.token)).status).toBe(403);
  });

  test("estimate rows also when the statistics begin again, as they do at a start", async () => {
    const { sql } = harness.now;
    await sql`analyze users`;
    await sql`select pg_stat_reset()`;
    const [users] = await sql<[{ count: number }]>`select count(*) from users`;
    const { body } = await call("GET", "/admin/storage", owner.token);
    const rowsOf = (table: string) =>
      body.tables.find(({ name }: { name: string }) => name === `public.${table}`).rows;
    expect(rowsOf("users")).toBe(users.count);
    expect(rowsOf("scope_surveys")).toBe(0);
  });
});
