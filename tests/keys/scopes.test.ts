import { describe, expect, test } from "vitest";
import { makeKey, makeMember, makeProject, makeTicket, makeUser, ticketInput } from "../factories.ts";
import { useHarness } from "../harness.ts";

const harness = useHarness();
const call = (...args: Parameters<typeof harness.now.call>) => harness.now.call(...args);

describe("a key's scopes", () => {
  test("are asked for by each call: reading doesn't write, writing doesn't read", async () => {
    const project = await makeProject(harness.now);
    const ticket = await makeTicket(harness.now, project);
    const reader = await makeKey(harness.now, project.admin, { scopes: ["tickets:read"] });
    const writer = await makeKey(harness.now, project.admin, { scopes: ["tickets:write"] });
    const input = ticketInput({ roles: ["qa"] });
    const list = `${project.path}/tickets`;
    expect((await call("GET", list, { token: reader.token })).status).toBe(200);
    expect((await call("GET", ticket.path, { token: reader.token })).status).toBe(200);
    expect((await call("POST", list, { token: writer.token, body: input })).status).toBe(201);
    const patch = { body: { priority: "high" } };
    expect((await call("PATCH", ticket.path, { token: writer.token, ...patch })).status).toBe(200);
    const refused = [
      await call("POST", list, { token: reader.token, body: input }),
      await call("PATCH", ticket.path, { token: reader.token, ...patch }),
      await call("GET", list, { token: writer.token }),
      await call("GET", ticket.path, { token: writer.token }),
    ];
    for (const answer of refused) {
      expect(answer).toMatchObject({ status: 403, body: { code: "insufficient_scope" } });
      expect(answer.body.error).toMatch(/tickets:(read|write)/);
    }
  });

  test("give nothing that the owner hasn't got", async () => {
    const project = await makeProject(harness.now);
    const viewer = await makeMember(harness.now, project, "viewer");
    const { token } = await makeKey(harness.now, viewer);
    const body = ticketInput({ roles: ["qa"] });
    expect((await call("GET", `${project.path}/tickets`, { token })).status).toBe(200);
    expect(await call("POST", `${project.path}/tickets`, { token, body })).toMatchObject({
      status: 403,
      body: { code: "forbidden" },
    });
    await call("PUT", `${project.path}/members/${viewer.id}`, {
      token: project.admin.token,
      body: { role: "member" },
    });
    expect((await call("POST", `${project.path}/tickets`, { token, body })).status).toBe(201);
  });

  test("need admin for what admins do, and make nobody an admin", async () => {
    const admin = await makeUser(harness.now, { role: "admin" });
    const plain = await makeKey(harness.now, admin);
    const full = await makeKey(harness.now, admin, { scopes: ["admin"] });
    const body = { name: "Made by a key" };
    expect(await call("POST", "/projects", { token: plain.token, body })).toMatchObject({
      status: 403,
      body: { code: "insufficient_scope" },
    });
    expect((await call("POST", "/projects", { token: full.token, body })).status).toBe(201);
    expect((await call("GET", "/users", { token: full.token })).status).toBe(200);
    const member = await makeUser(harness.now, { accountId: admin.accountId });
    const asked = await makeKey(harness.now, member, { scopes: ["admin"] });
    expect(await call("POST", "/projects", { token: asked.token, body })).toMatchObject({
      status: 403,
      body: { code: "forbidden" },
    });
  });

  test("never let a key make, list or revoke keys", async () => {
    const admin = await makeUser(harness.now, { role: "admin" });
    const { id, token } = await makeKey(harness.now, admin, { scopes: ["tickets:read", "admin"] });
    const refused = [
      await call("POST", "/keys", { token, body: { name: "child" } }),
      await call("GET", "/keys", { token }),
      await call("DELETE", `/keys/${id}`, { token }),
    ];
    for (const answer of refused) {
      expect(answer).toMatchObject({ status: 403, body: { code: "insufficient_scope" } });
    }
  });

  test("are checked before the body is read", async () => {
    const project = await makeProject(harness.now);
    const { token } = await makeKey(harness.now, project.admin, { scopes: ["tickets:read"] });
    const answer = await call("POST", `${project.path}/tickets`, { token, raw: "{ broken" });
    expect(answer.status).toBe(403);
  });
});

describe("a key that is bound to a project", () => {
  test("works in that one, and meets every other as if its owner had no access", async () => {
    const admin = await makeUser(harness.now, { role: "admin" });
    const [own, other] = [
      await makeProject(harness.now, { admin }),
      await makeProject(harness.now, { admin }),
    ];
    const { token } = await makeKey(harness.now, admin, { projectId: own.id });
    expect((await call("GET", own.path, { token })).status).toBe(200);
    const elsewhere = await call("GET", other.path, { token });
    expect(elsewhere).toMatchObject({ status: 403, body: { code: "forbidden" } });
    const unknown = await call("GET", `/projects/${crypto.randomUUID()}`, { token });
    expect({ ...unknown.body, requestId: "" }).toEqual({ ...elsewhere.body, requestId: "" });
    const { body } = await call("GET", "/projects", { token });
    expect(body.projects.map(({ id }: { id: string }) => id)).toEqual([own.id]);
  });

  test("doesn't reach through an id in another case", async () => {
    const admin = await makeUser(harness.now, { role: "admin" });
    const [own, other] = [
      await makeProject(harness.now, { admin }),
      await makeProject(harness.now, { admin }),
    ];
    const { token } = await makeKey(harness.now, admin, { projectId: own.id });
    expect((await call("GET", `/projects/${own.id.toUpperCase()}`, { token })).status).toBe(200);
    expect((await call("GET", `/projects/${other.id.toUpperCase()}`, { token })).status).toBe(403);
  });

  test("has no say over the account with any scopes or owner", async () => {
    for (const role of ["admin", "super_admin"] as const) {
      const admin = await makeUser(harness.now, { role });
      const project = await makeProject(harness.now, { admin });
      const { token } = await makeKey(harness.now, admin, {
        projectId: project.id,
        scopes: ["admin", "tickets:read"],
      });
      expect((await call("PATCH", project.path, { token, body: { name: "Renamed" } })).status).toBe(200);
      const refused = [
        await call("POST", "/projects", { token, body: { name: "Another" } }),
        await call("GET", "/users", { token }),
        await call("POST", "/users", { token, body: { email: "x@example.test", name: "X" } }),
        await call("GET", "/accounts", { token }),
      ];
      for (const answer of refused) {
        expect(answer).toMatchObject({ status: 403, body: { code: "forbidden" } });
      }
    }
  });

  test("goes with its owner's access to the project", async () => {
    const project = await makeProject(harness.now);
    const member = await makeMember(harness.now, project, "member");
    const { token } = await makeKey(harness.now, member, { projectId: project.id });
    expect((await call("GET", project.path, { token })).status).toBe(200);
    await call("DELETE", `${project.path}/members/${member.id}`, { token: project.admin.token });
    expect((await call("GET", project.path, { token })).status).toBe(403);
  });
});
