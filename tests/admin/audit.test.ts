import { beforeAll, describe, expect, test } from "vitest";
import { ListAudit } from "../../src/admin/schema.ts";
import { listAudit } from "../../src/admin/list_audit.ts";
import type { ActorContext } from "../../src/core/context.ts";
import { explaining } from "../explaining.ts";
import { makeKey, makeProject, makeUser, type TestProject, type TestUser } from "../factories.ts";
import { useHarness } from "../harness.ts";

const harness = useHarness();
let project: TestProject;
let other: TestProject;
let superAdmin: TestUser;
beforeAll(async () => {
  superAdmin = await makeUser(harness.now, { role: "super_admin" });
  [project, other] = [await makeProject(harness.now), await makeProject(harness.now)];
  for (let index = 0; index < 5; index++) await makeNamedKey(project.admin);
  await makeNamedKey(other.admin);
});

function makeNamedKey(user: TestUser) {
  return harness.now.call("POST", "/keys", { token: user.token, body: { name: "ci" } });
}

function audit(user: { token: string }, query = "") {
  return harness.now.call("GET", `/admin/audit${query}`, { token: user.token });
}

describe("the audit list", () => {
  test("shows an account's admins what happened in it, newest first", async () => {
    const { status, body } = await audit(project.admin);
    expect(status).toBe(200);
    expect(body.audit.map(({ action }: { action: string }) => action)).toEqual([
      ...Array.from({ length: 5 }, () => "key.created"),
      "project.created",
    ]);
    expect(body.audit[0]).toMatchObject({
      account_id: project.accountId,
      actor: { kind: "user", id: project.admin.id },
      at: expect.any(String),
      request_id: expect.any(String),
    });
  });

  test("shows super admins all accounts, or the one they name", async () => {
    const accounts = async (query: string) => {
      const { body } = await audit(superAdmin, query);
      return new Set(body.audit.map(({ account_id }: { account_id: string }) => account_id));
    };
    expect(await accounts("?limit=200")).toEqual(new Set([project.accountId, other.accountId]));
    expect(await accounts(`?account_id=${other.accountId}`)).toEqual(new Set([other.accountId]));
  });

  test("keeps what only super admins may know from an account's admins", async () => {
    const code = "audited-survey";
    const { body } = await harness.now.call("POST", "/admin/scope-surveys", {
      token: superAdmin.token,
      body: { code, title: "Where to go", questions: [{ key: "q", text: "Where?", type: "text" }] },
    });
    for (let times = 0; times < 2; times++) {
      await harness.now.call("POST", `/admin/scope-surveys/${body.id}/close`, { token: superAdmin.token });
    }
    const admin = await makeUser(harness.now, { role: "admin", accountId: superAdmin.accountId });
    for (const action of ["survey.created", "survey.closed"]) {
      expect((await audit(superAdmin, `?action=${action}`)).body.audit, action).toMatchObject([{
        target_id: body.id,
      }]);
      expect((await audit(admin, `?action=${action}`)).body.audit, action).toEqual([]);
    }
  });

  test("is filtered by action and comes in pages", async () => {
    const ids: number[] = [];
    let cursor = "";
    do {
      const { body } = await audit(project.admin, `?action=key.created&limit=2${cursor}`);
      ids.push(...body.audit.map(({ id }: { id: number }) => id));
      cursor = body.next_cursor ? `&cursor=${body.next_cursor}` : "";
    } while (cursor);
    expect(ids).toHaveLength(5);
    expect(ids).toEqual(ids.toSorted((a, b) => b - a));
    expect((await audit(project.admin, "?action=none")).body).toEqual({ audit: [], next_cursor: null });
  });

  test("is refused to members, to other accounts' admins and to keys without the scope", async () => {
    const member = await makeUser(harness.now, { accountId: project.accountId });
    const key = await makeKey(harness.now, project.admin);
    const adminKey = await makeKey(harness.now, project.admin, { scopes: ["admin"] });
    expect((await audit(member)).status).toBe(403);
    expect((await audit(project.admin, `?account_id=${other.accountId}`)).status).toBe(403);
    expect((await audit(key)).body.code).toBe("insufficient_scope");
    expect((await audit(adminKey)).status).toBe(200);
  });

  test("finds an action that is rare among those of all accounts by an index", async () => {
    const { sql, services } = harness.now;
    await sql`
      insert into audit_log (action, actor)
      select case when n % 5000 = 0 then 'rare' else 'often' end, '{}' from generate_series(1, 20000) n`;
    await sql.unsafe("vacuum analyze audit_log");
    const plans: string[] = [];
    const ctx = {
      ...services,
      db: explaining(sql, plans),
      actor: { user: { role: "super_admin" } },
    } as unknown as ActorContext;
    await listAudit(ctx, ListAudit.parse({ action: "rare" }));
    expect(plans[0]).toContain("audit_log_actions_idx");
    expect(plans[0]).not.toMatch(/Filter:|Sort Key/);
  });
});
