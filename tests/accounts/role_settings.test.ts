import { describe, expect, test } from "vitest";
import { makeProject, makeTicket, makeUser, ticketInput } from "../factories.ts";
import { useHarness } from "../harness.ts";

const harness = useHarness();
const ALL = ["frontend", "backend", "design", "devops", "qa", "other"];

function put(token: string, roles: unknown) {
  return harness.now.call("PUT", "/settings/roles", { token, body: { roles } });
}

function states(body: { roles: { role: string; enabled: boolean }[] }) {
  return Object.fromEntries(body.roles.map(({ role, enabled }) => [role, enabled]));
}

describe("the account's roles", () => {
  test("are all enabled at first; those that are not sent stay as they are", async () => {
    const { token } = await makeUser(harness.now, { role: "admin" });
    const first = await harness.now.call("GET", "/settings/roles", { token });
    expect(first.body.roles).toEqual(ALL.map((role) => ({ role, enabled: true })));
    await put(token, [{ role: "design", enabled: false }]);
    const { status, body } = await put(token, [{ role: "qa", enabled: false }, {
      role: "backend",
      enabled: true,
    }]);
    expect(status).toBe(200);
    expect(states(body)).toMatchObject({ design: false, qa: false, backend: true, other: true });
    expect((await put(token, [{ role: "design", enabled: true }])).body.roles[2]).toEqual({
      role: "design",
      enabled: true,
    });
  });

  test("stand in the audit list with what was changed, and with nothing where they were so already", async () => {
    const { token } = await makeUser(harness.now, { role: "admin" });
    const roles = [{ role: "qa", enabled: false }];
    for (let time = 0; time < 2; time++) expect((await put(token, roles)).status).toBe(200);
    const { body } = await harness.now.call("GET", "/admin/audit", { token });
    expect(body.audit).toMatchObject([{ action: "account.roles_put", details: { roles } }]);
  });

  test("that are disabled are given to no new ticket or task; rows that have them stay", async () => {
    const project = await makeProject(harness.now);
    const token = project.admin.token;
    const ticket = await makeTicket(harness.now, project, { roles: ["design"] });
    await put(token, [{ role: "design", enabled: false }]);
    const created = await harness.now.call("POST", `${project.path}/tickets`, {
      token,
      body: ticketInput({ roles: ["qa", "design"] }),
    });
    expect([created.status, created.body.fieldErrors]).toEqual([
      400,
      { "roles.1": "The role design is disabled for this account" },
    ]);
    const task = await harness.now.call("POST", `${ticket.path}/tasks`, {
      token,
      body: { title: "Draw it", role: "design" },
    });
    expect([task.status, Object.keys(task.body.fieldErrors)]).toEqual([400, ["role"]]);
    const { body: other } = await harness.now.call("POST", `${ticket.path}/tasks`, {
      token,
      body: { title: "Test it", role: "qa" },
    });
    const moved = await harness.now.call("PATCH", `${ticket.path}/tasks/${other.id}`, {
      token,
      body: { role: "design" },
    });
    expect([moved.status, Object.keys(moved.body.fieldErrors)]).toEqual([400, ["role"]]);
    const plain = await makeTicket(harness.now, project);
    const given = await harness.now.call("PATCH", plain.path, { token, body: { roles: ["design"] } });
    expect([given.status, Object.keys(given.body.fieldErrors)]).toEqual([400, ["roles.0"]]);
    const kept = await harness.now.call("PATCH", ticket.path, { token, body: { roles: ["design", "qa"] } });
    expect(kept.body.roles.map(({ role }: { role: string }) => role)).toEqual(["design", "qa"]);
  });

  test.each([
    ["empty", [], "roles"],
    ["doubled", [{ role: "qa", enabled: true }, { role: "qa", enabled: false }], "roles"],
    ["unknown", [{ role: "sales", enabled: true }], "roles.0.role"],
    ["all off", ALL.map((role) => ({ role, enabled: false })), "roles"],
    ["not a boolean", [{ role: "qa", enabled: "no" }], "roles.0.enabled"],
    ["no list", "qa", "roles"],
    ["missing", undefined, "roles"],
  ])("are refused when %s, and nothing changes", async (_, roles, field) => {
    const { token } = await makeUser(harness.now, { role: "admin" });
    const { status, body } = await put(token, roles);
    expect([status, body.code, Object.keys(body.fieldErrors)]).toEqual([400, "invalid_request", [field]]);
    const after = await harness.now.call("GET", "/settings/roles", { token });
    expect(Object.values(states(after.body))).toEqual(ALL.map(() => true));
  });

  test("keep one enabled when two admins switch off the last two at once", async () => {
    const admin = await makeUser(harness.now, { role: "admin" });
    const other = await makeUser(harness.now, { role: "admin", accountId: admin.accountId });
    await put(admin.token, ALL.slice(2).map((role) => ({ role, enabled: false })));
    const answers = await Promise.all([
      put(admin.token, [{ role: "frontend", enabled: false }]),
      put(other.token, [{ role: "backend", enabled: false }]),
    ]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400]);
  });

  test("are not found when the account is gone", async () => {
    const { token, accountId } = await makeUser(harness.now, { role: "admin" });
    await harness.now.sql.begin(async (tx) => {
      // An account can only be deleted by hand, because its rows refer to it.
      await tx`set local session_replication_role = replica`;
      await tx`delete from accounts where id = ${accountId}::uuid`;
    });
    harness.now.services.access.clear();
    const read = await harness.now.call("GET", "/settings/roles", { token });
    const { status, body } = await put(token, [{ role: "qa", enabled: false }]);
    expect([read.status, status, body.code]).toEqual([404, 404, "not_found"]);
  });

  test("are read by everyone of the account and changed by its admins", async () => {
    const admin = await makeUser(harness.now, { role: "admin" });
    const member = await makeUser(harness.now, { accountId: admin.accountId });
    expect((await harness.now.call("GET", "/settings/roles", { token: member.token })).status).toBe(200);
    const { status, body } = await put(member.token, [{ role: "qa", enabled: false }]);
    expect([status, body.code]).toEqual([403, "forbidden"]);
  });
});
