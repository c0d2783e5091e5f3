import { describe, expect, test } from "vitest";
import { behindLock, besideLock } from "../behind_lock.ts";
import { makeMember, makeProject, makeTicket, makeUser, ticketInput } from "../factories.ts";
import { useHarness } from "../harness.ts";

const harness = useHarness();
const call = (...args: Parameters<typeof harness.now.call>) => harness.now.call(...args);
const admin = () => makeUser(harness.now, { role: "admin" });

describe("repositories", () => {
  test("are one in any case of letters, and are shown as they were given last", async () => {
    const project = await makeProject(harness.now, { repositories: ["Acme/App", "acme/web"] });
    const put = (repositories: string[]) =>
      call("PUT", `${project.path}/repositories`, { token: project.admin.token, body: { repositories } });
    expect((await put(["acme/APP", "Acme/Api"])).body.repositories).toEqual(["Acme/Api", "acme/APP"]);
    const twice = await put(["a/b", "A/B"]);
    expect(twice.status).toBe(400);
    expect(Object.keys(twice.body.fieldErrors)).toEqual(["repositories"]);
    expect((await put([])).body.repositories).toEqual([]);
    const many = Array.from({ length: 200 }, (_, index) => `acme/repo-${index}`);
    expect((await put(many)).body.repositories).toHaveLength(200);
    expect((await put([...many, "acme/one-more"])).status).toBe(400);
  });

  test("that are put twice at once end as one of the two lists", async () => {
    const project = await makeProject(harness.now);
    const lists = [["a/one", "a/two"], ["B/One", "b/three"], ["A/ONE"]];
    await Promise.all(
      [...lists, ...lists, ...lists].map((repositories) =>
        call("PUT", `${project.path}/repositories`, { token: project.admin.token, body: { repositories } })
      ),
    );
    const { body } = await call("GET", project.path, { token: project.admin.token });
    expect(lists.map((list) => list.toSorted())).toContainEqual(body.repositories.toSorted());
  });

  test("that are put while a new name waits are no later a change than that", async () => {
    const { admin: { token }, path, accountId } = await makeProject(harness.now);
    const { waited, passed } = await besideLock(
      harness.now,
      (tx) => tx`select from accounts where id = ${accountId}::uuid for no key update`,
      {
        waits: () => call("PATCH", path, { token, body: { name: "Later" } }),
        passes: () => call("PUT", `${path}/repositories`, { token, body: { repositories: ["acme/app"] } }),
      },
    );
    expect([waited.status, passed.status]).toEqual([200, 200]);
    expect(waited.body.updated_at >= passed.body.updated_at).toBe(true);
  });

  test("that are put again change nothing, and are audited once", async () => {
    const { admin: { token }, path, id } = await makeProject(harness.now);
    const put = () => call("PUT", `${path}/repositories`, { token, body: { repositories: ["acme/app"] } });
    const before = await call("GET", path, { token });
    expect(await put()).toMatchObject({ status: 200, body: (await put()).body });
    expect((await put()).body.updated_at > before.body.updated_at).toBe(true);
    const rows = await harness.now.sql`
      select from audit_log where action = 'project.repositories_put' and target_id = ${id}`;
    expect(rows).toHaveLength(1);
  });

  test("may belong to several projects", async () => {
    const owner = await admin();
    for (let i = 0; i < 2; i++) {
      const project = await makeProject(harness.now, { admin: owner, repositories: ["acme/shared"] });
      expect((await call("GET", project.path, { token: owner.token })).body.repositories).toEqual([
        "acme/shared",
      ]);
    }
  });
});

describe("an archived project", () => {
  test("can be read and taken back, and not written by anyone", async () => {
    const project = await makeProject(harness.now, { repositories: ["acme/app"] });
    const ticket = await makeTicket(harness.now, project);
    const user = await makeMember(harness.now, project, "member");
    const { token } = project.admin;
    expect((await call("DELETE", project.path, { token })).status).toBe(204);
    const first = (await call("GET", project.path, { token })).body.archived_at;
    expect(first).not.toBeNull();
    expect((await call("DELETE", project.path, { token })).status).toBe(204);
    expect((await call("PATCH", project.path, { token, body: { archived: true } })).status).toBe(200);
    expect((await call("GET", project.path, { token })).body.archived_at).toBe(first);
    const { body: audit } = await call("GET", "/admin/audit?action=project.archived", { token });
    expect(audit.audit).toHaveLength(1);

    const writes: [string, string, unknown][] = [
      ["POST", `${project.path}/tickets`, ticketInput()],
      ["PATCH", ticket.path, { title: "Changed after all" }],
      ["PATCH", project.path, { name: "Another name" }],
      ["PATCH", project.path, { name: "Another name", archived: true }],
      ["PUT", `${project.path}/repositories`, { repositories: [] }],
      ["PUT", `${project.path}/members/${user.id}`, { role: "admin" }],
    ];
    for (const [method, path, body] of writes) {
      const answer = await call(method, path, { token, body });
      expect(answer).toMatchObject({ status: 403, body: { error: expect.stringContaining("archived") } });
    }
    expect((await call("DELETE", `${project.path}/members/${user.id}`, { token })).status).toBe(403);
    for (const path of [project.path, `${project.path}/tickets`, ticket.path, `${project.path}/members`]) {
      expect((await call("GET", path, { token: user.token })).status).toBe(200);
    }

    const back = await call("PATCH", project.path, { token, body: { archived: false } });
    expect(back.body.archived_at).toBeNull();
    expect((await call("POST", `${project.path}/tickets`, { token, body: ticketInput() })).status).toBe(201);
  });

  test("refuses what had begun before it was archived", async () => {
    const project = await makeProject(harness.now);
    const { token } = project.admin;
    const member = await makeMember(harness.now, project, "member");
    const user = await makeUser(harness.now, { accountId: project.accountId });
    const answers = await behindLock(
      harness.now,
      (tx) => tx`update projects set archived_at = now() where id = ${project.id}::uuid`,
      () => call("PUT", `${project.path}/repositories`, { token, body: { repositories: ["acme/app"] } }),
      () => call("PUT", `${project.path}/members/${user.id}`, { token, body: { role: "member" } }),
      () => call("DELETE", `${project.path}/members/${member.id}`, { token }),
    );
    for (const answer of answers) {
      expect(answer).toMatchObject({ status: 403, body: { error: expect.stringContaining("archived") } });
    }
    const { body } = await call("GET", project.path, { token });
    expect(body.repositories).toEqual([]);
  });

  test("takes no ticket whose creation had begun", async () => {
    const project = await makeProject(harness.now);
    const { token } = project.admin;
    await makeTicket(harness.now, project);
    // Another process archives the project, and this process learns of it only after a few seconds.
    await harness.now.sql`update projects set archived_at = now() where id = ${project.id}::uuid`;
    const late = await call("POST", `${project.path}/tickets`, { token, body: ticketInput() });
    expect(late).toMatchObject({ status: 403, body: { error: expect.stringContaining("archived") } });
    expect((await call("GET", `${project.path}/tickets`, { token })).body.tickets).toHaveLength(1);
  });

  test("keeps its key and slug, and a replay of a creation needs a live project", async () => {
    const project = await makeProject(harness.now);
    const { token } = project.admin;
    const body = ticketInput({ idempotency_key: "before" });
    await call("POST", `${project.path}/tickets`, { token, body });
    await call("DELETE", project.path, { token });
    expect((await call("POST", "/projects", { token, body: { name: "Again", key: project.key } })).status)
      .toBe(409);
    expect((await call("POST", `${project.path}/tickets`, { token, body })).status).toBe(403);
  });
});
