import { v7 as uuid } from "uuid";
import { beforeAll, describe, expect, test } from "vitest";
import {
  makeKey,
  makeMember,
  makeProject,
  makeTicket,
  makeUser,
  type TestProject,
  type TestTicket,
  ticketInput,
} from "../factories.ts";
import { useHarness } from "../harness.ts";

const harness = useHarness();

const CALLERS = [
  "viewer",
  "member",
  "project admin",
  "account admin",
  "super admin",
  "user of the account",
  "admin of another account",
  "key of the admin",
  "admin key of the admin",
  "admin key for this project",
  "admin key for another project",
] as const;
type Caller = (typeof CALLERS)[number];

let project: TestProject;
let ticket: TestTicket;
let userId: string;
const tokens = {} as Record<Caller, string>;

beforeAll(async () => {
  const now = harness.now;
  project = await makeProject(now);
  ticket = await makeTicket(now, project);
  const [admin, other] = [project.admin, await makeProject(now, { admin: project.admin })];
  const all = ["tickets:read", "tickets:write", "tasks:read", "tasks:write", "admin"];
  userId = (await makeUser(now, { accountId: project.accountId })).id;
  tokens["viewer"] = (await makeMember(now, project, "viewer")).token;
  tokens["member"] = (await makeMember(now, project, "member")).token;
  tokens["project admin"] = (await makeMember(now, project, "admin")).token;
  tokens["account admin"] = admin.token;
  tokens["super admin"] = (await makeUser(now, { role: "super_admin" })).token;
  tokens["user of the account"] = (await makeUser(now, { accountId: project.accountId })).token;
  tokens["admin of another account"] = (await makeUser(now, { role: "admin" })).token;
  tokens["key of the admin"] = (await makeKey(now, admin)).token;
  tokens["admin key of the admin"] = (await makeKey(now, admin, { scopes: all })).token;
  tokens["admin key for this project"] =
    (await makeKey(now, admin, { scopes: all, projectId: project.id })).token;
  tokens["admin key for another project"] =
    (await makeKey(now, admin, { scopes: all, projectId: other.id })).token;
});

const READERS: Caller[] = [
  "viewer",
  "member",
  "project admin",
  "account admin",
  "super admin",
  "key of the admin",
  "admin key of the admin",
  "admin key for this project",
];
const WRITERS = READERS.filter((caller) => caller !== "viewer");
const ADMINS = WRITERS.filter((caller) => caller !== "member" && caller !== "key of the admin");

/** Each call, and who may make it. */
const RULES: [string, string, () => string, (() => unknown) | null, Caller[]][] = [
  ["read the project", "GET", () => project.path, null, READERS],
  ["list tickets", "GET", () => `${project.path}/tickets`, null, READERS],
  ["read a ticket", "GET", () => ticket.path, null, READERS],
  ["list members", "GET", () => `${project.path}/members`, null, READERS],
  ["list people", "GET", () => `${project.path}/people`, null, READERS],
  ["list tasks", "GET", () => `${project.path}/tasks`, null, READERS],
  ["list test cases", "GET", () => `${project.path}/test-cases`, null, READERS],
  ["count tickets", "GET", () => `${project.path}/tickets/counts`, null, READERS],
  ["group tickets", "GET", () => `${project.path}/tickets/groups?by=label`, null, READERS],
  ["create a ticket", "POST", () => `${project.path}/tickets`, () => ticketInput({ roles: ["qa"] }), WRITERS],
  ["change a ticket", "PATCH", () => ticket.path, () => ({ priority: "high" }), WRITERS],
  ["rename the project", "PATCH", () => project.path, () => ({ name: "Renamed" }), ADMINS],
  ["wire repositories", "PUT", () => `${project.path}/repositories`, () => ({ repositories: [] }), ADMINS],
  ["make a member", "PUT", () => `${project.path}/members/${userId}`, () => ({ role: "viewer" }), ADMINS],
];

describe.each(RULES)("to %s", (_, method, path, body, allowed) => {
  test.each(CALLERS)("%s", async (caller) => {
    const options = body ? { body: body() } : {};
    const answer = await harness.now.call(method, path(), { token: tokens[caller], ...options });
    if (allowed.includes(caller)) return expect([200, 201]).toContain(answer.status);
    expect(answer.status).toBe(403);
    expect(["forbidden", "insufficient_scope"]).toContain(answer.body.code);
  });
});

test("what may be read of a project may be read of an archived one", async () => {
  const { token } = project.admin;
  await harness.now.call("DELETE", project.path, { token });
  for (const [, method, path] of RULES.filter(([, method]) => method === "GET")) {
    const { status } = await harness.now.call(method, path(), { token: tokens.viewer });
    expect(status, path()).toBe(200);
  }
  await harness.now.call("PATCH", project.path, { token, body: { archived: false } });
});

test.each(CALLERS)("%s is told their own role", async (caller) => {
  const role = caller === "viewer" || caller === "member" ? caller : "admin";
  const one = await harness.now.call("GET", project.path, { token: tokens[caller] });
  if (READERS.includes(caller)) expect(one.body.my_role).toBe(role);
  const { body } = await harness.now.call("GET", "/projects?limit=200", { token: tokens[caller] });
  const listed = body.projects.filter(({ id }: { id: string }) => id === project.id);
  expect(listed).toEqual(READERS.includes(caller) ? [one.body] : []);
});

describe("who has no access", () => {
  const strangers: Caller[] = [
    "user of the account",
    "admin of another account",
    "admin key for another project",
  ];

  test.each(strangers)("%s can't tell a project that exists from one that doesn't", async (caller) => {
    const token = tokens[caller];
    const missing = crypto.randomUUID();
    for (const [, method, path, body] of RULES) {
      const options = { token, body: body?.() };
      const [real, invented] = [
        await harness.now.call(method, path(), options),
        await harness.now.call(method, path().replace(project.id, missing), options),
      ];
      const plain = ({ status, body }: typeof real) => ({ status, ...body, requestId: "" });
      expect(plain(real)).toEqual(plain(invented));
    }
  });

  test("is refused before the body is looked at", async () => {
    const token = tokens["admin of another account"];
    const answer = await harness.now.call("POST", `${project.path}/tickets`, {
      token,
      body: { rubbish: true },
    });
    expect(answer).toMatchObject({ status: 403, body: { code: "forbidden" } });
  });

  test("can't reach a ticket through a project that they may see", async () => {
    const own = await makeProject(harness.now);
    const { token } = own.admin;
    const { ref } = await makeTicket(harness.now, own);
    expect(ref.split("-")[1]).toBe(ticket.ref.split("-")[1]);
    for (const name of [ticket.id, ticket.ref]) {
      expect((await harness.now.call("GET", `${own.path}/tickets/${name}`, { token })).status).toBe(404);
    }
    const patch = await harness.now.call("PATCH", `${own.path}/tickets/${ticket.id}`, {
      token,
      body: { priority: "low" },
    });
    expect(patch.status).toBe(404);
  });
});

describe("members", () => {
  test("are given a role, another one, and none", async () => {
    const fresh = await makeProject(harness.now);
    const user = await makeUser(harness.now, { accountId: fresh.accountId });
    const path = `${fresh.path}/members/${user.id}`;
    const { token } = fresh.admin;
    const status = async () => (await harness.now.call("GET", fresh.path, { token: user.token })).status;
    expect(await status()).toBe(403);
    for (const role of ["viewer", "admin", "member"]) {
      const { body } = await harness.now.call("PUT", path, { token, body: { role } });
      expect(body).toMatchObject({ user_id: user.id, email: user.email, role });
      expect(await status()).toBe(200);
    }
    const listed = await harness.now.call("GET", `${fresh.path}/members`, { token: user.token });
    expect(listed.body.members.map(({ user_id, role }: Record<string, string>) => [user_id, role]))
      .toEqual([[user.id, "member"]]);
    expect((await harness.now.call("DELETE", path, { token })).status).toBe(204);
    expect(await status()).toBe(403);
    expect((await harness.now.call("DELETE", path, { token })).status).toBe(404);
  });

  test("come from the project's account only", async () => {
    const stranger = await makeUser(harness.now);
    const root = await makeUser(harness.now, { role: "super_admin" });
    for (const { token } of [project.admin, root]) {
      const path = `${project.path}/members/${stranger.id}`;
      expect((await harness.now.call("PUT", path, { token, body: { role: "member" } })).status).toBe(404);
    }
    const unknown = `${project.path}/members/${crypto.randomUUID()}`;
    expect((await harness.now.call("PUT", unknown, { token: root.token, body: { role: "member" } })).status)
      .toBe(404);
  });

  test("are audited, but for the role that they have", async () => {
    const fresh = await makeProject(harness.now);
    const user = await makeUser(harness.now, { accountId: fresh.accountId });
    const path = `${fresh.path}/members/${user.id}`;
    for (let i = 0; i < 2; i++) {
      const put = await harness.now.call("PUT", path, { token: fresh.admin.token, body: { role: "viewer" } });
      expect(put.status).toBe(200);
    }
    await harness.now.call("DELETE", path, { token: fresh.admin.token });
    const rows = await harness.now.sql`
      select action, details ->> 'role' as role, actor ->> 'id' as by from audit_log
      where target_id = ${user.id} order by id`;
    expect(rows).toEqual([
      { action: "member.put", role: "viewer", by: fresh.admin.id },
      { action: "member.removed", role: null, by: fresh.admin.id },
    ]);
  });
});

test("a project that is not there is unknown to a super admin, and forbidden to everybody else", async () => {
  for (const caller of CALLERS) {
    const { status, body } = await harness.now.call("GET", `/projects/${uuid()}/tickets`, {
      token: tokens[caller],
    });
    const expected = caller === "super admin"
      ? [404, "No such project"]
      : [403, "You have no access to this project"];
    expect([status, body.error], caller).toEqual(expected);
  }
});
