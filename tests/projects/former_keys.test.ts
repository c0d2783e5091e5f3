import { describe, expect, test } from "vitest";
import { behindLock } from "../behind_lock.ts";
import {
  makeAccount,
  makeKey,
  makeMember,
  makeProject,
  makeTicket,
  makeUser,
  next,
  type TestProject,
  type TestTicket,
} from "../factories.ts";
import { useHosting } from "../integrations/hosting.ts";

const hosting = useHosting();
const MERGE_SHA = "c".repeat(40);
const newKey = () => `F${next().toString(36).toUpperCase()}`;

function call(method: string, path: string, { admin: { token } }: Pick<TestProject, "admin">, body?: object) {
  return hosting.now.harness.call(method, path, { token, ...(body && { body }) });
}

const rename = (project: TestProject, key: string) => call("PATCH", project.path, project, { key });

/** A project with a ticket, which had the key `old` before `key`. */
async function makeRenamed(repositories: string[] = []): Promise<{
  project: TestProject;
  ticket: TestTicket;
  old: string;
  key: string;
}> {
  const project = await makeProject(hosting.now.harness, { repositories });
  const ticket = await makeTicket(hosting.now.harness, project, { title: "The cluster is down" });
  const key = newKey();
  expect((await rename(project, key)).status).toBe(200);
  return { project, ticket, old: project.key, key };
}

describe("a ref with a former key", () => {
  test("names its ticket in reads and writes over REST and tRPC; answers show today's", async () => {
    const { project, ticket, old, key } = await makeRenamed();
    const { harness } = hosting.now;
    for (const ref of [`${old}-1`, `${old}-1`.toLowerCase(), `${key}-1`]) {
      const path = `${project.path}/tickets/${ref}`;
      expect((await call("GET", path, project)).body).toMatchObject({
        id: ticket.id,
        ticket_ref: `${key}-1`,
      });
      const changed = await call("PATCH", path, project, { priority: "high" });
      expect(changed.body).toMatchObject({ id: ticket.id, ticket_ref: `${key}-1` });
      expect((await call("POST", `${path}/tasks`, project, { title: ref, role: "qa" })).status).toBe(201);
      const input = encodeURIComponent(JSON.stringify({ json: { id: project.id, ticketId: ref } }));
      const read = await harness.request("GET", `/trpc/tickets.get?input=${input}`, {
        token: project.admin.token,
      });
      expect((await read.json()).result.data.json.id).toBe(ticket.id);
    }
    expect((await call("GET", `${project.path}/tickets/${old}-2`, project)).status).toBe(404);
    expect((await call("GET", project.path, project)).body).toMatchObject({ key, former_keys: [old] });
  });

  test("is found by the search as today's is", async () => {
    const { project, ticket, old, key } = await makeRenamed();
    const other = await makeTicket(hosting.now.harness, project, { title: "Another one" });
    const find = async (q: string) => {
      const { body } = await call("GET", `${project.path}/tickets?q=${encodeURIComponent(q)}`, project);
      return body.tickets.map(({ id }: { id: string }) => id).toSorted();
    };
    expect(await find(`${old}-1`)).toEqual([ticket.id]);
    expect(await find(`${old.toLowerCase()}-1 cluster`)).toEqual([ticket.id]);
    expect(await find(`${old}-1 or ${key}-2`)).toEqual([ticket.id, other.id].toSorted());
    expect(await find(`another -${old}-2`)).toEqual([]);
  });

  test.each<[string, (ref: string) => { title?: string; body?: string; branch?: string }]>([
    ["title", (ref) => ({ title: `${ref} Restart it` })],
    ["body", (ref) => ({ title: "Restart it", body: `Closes ${ref}` })],
    ["branch", (ref) => ({ title: "Restart it", branch: `${ref.toLowerCase()}-restart` })],
  ])("in a pull request's %s stamps its ticket, which no other project's can be", async (_, facts) => {
    const repo = `acme/renamed-${next()}`;
    const { project, ticket, old } = await makeRenamed([repo]);
    const other = await makeProject(hosting.now.harness, { admin: project.admin, repositories: [repo] });
    const unrelated = await makeTicket(hosting.now.harness, other);
    expect((await rename(other, old)).status).toBe(409);
    const merge = hosting.now.events.pullRequest({
      repo,
      number: next(),
      mergeSha: MERGE_SHA,
      ...facts(`${old}-1`),
    });
    expect((await hosting.now.deliver(merge)).status).toBe(200);
    expect((await call("GET", ticket.path, project)).body.merge_sha).toBe(MERGE_SHA);
    expect((await call("GET", unrelated.path, other)).body.merge_sha).toBeNull();
  });

  test("works through any number of renamings, and back to an own key", async () => {
    const { project, ticket, old, key } = await makeRenamed();
    const third = newKey();
    for (const name of [third, key, old, old]) expect((await rename(project, name)).status).toBe(200);
    for (const name of [old, key, third]) {
      const { body } = await call("GET", `${project.path}/tickets/${name}-1`, project);
      expect(body).toMatchObject({ id: ticket.id, ticket_ref: `${old}-1` });
    }
    const { body } = await call("GET", project.path, project);
    expect([body.key, body.former_keys.toSorted()]).toEqual([old, [key, third].toSorted()]);
  });

  test("comes along with an export, but for a key that is another project's", async () => {
    const { project, ticket, old, key } = await makeRenamed();
    const { harness } = hosting.now;
    const { body } = await call("GET", `${project.path}/export`, project);
    expect(body.records[0].project_keys.toSorted()).toEqual([old, key].toSorted());
    const target = await makeProject(harness);
    await makeProjectWithKey(target, key);
    const elsewhere = { ...body.records[0], id: crypto.randomUUID(), number: 7, tasks: [], test_cases: [] };
    const sent = await call("POST", `${target.path}/import`, target, { records: [elsewhere] });
    expect(sent.body).toEqual({ imported: 1, existing: 0 });
    const read = await call("GET", `${target.path}/tickets/${old}-7`, target);
    expect(read.body).toMatchObject({ id: elsewhere.id, ticket_ref: `${target.key}-7` });
    expect((await call("GET", `${target.path}/tickets/${key}-7`, target)).status).toBe(404);
    expect((await call("GET", target.path, target)).body.former_keys).toEqual([old]);
    const [audit] = await harness.sql`
      select details from audit_log where action = 'project.imported' and target_id = ${target.id}`;
    expect(audit!.details).toEqual({ tickets: 1, project_keys: [old] });
    expect((await call("GET", ticket.path, project)).body.id).toBe(ticket.id);
  });
});

/** Another project of the same account. */
function makeProjectWithKey(beside: TestProject, key: string) {
  return call("POST", "/projects", beside, { name: `Project ${key}`, key });
}

describe("a former key", () => {
  test("is refused to every other project of the account, and free in other accounts", async () => {
    const { project, old } = await makeRenamed();
    const { harness } = hosting.now;
    const other = await makeProject(harness, { admin: project.admin });
    expect((await makeProjectWithKey(project, old)).status).toBe(409);
    expect((await rename(other, old)).status).toBe(409);
    const elsewhere = await makeProject(harness);
    expect((await rename(elsewhere, old)).status).toBe(200);
    const ticket = await makeTicket(harness, elsewhere);
    expect(ticket.ref).toBe(`${old}-1`);
    const { body } = await call("GET", `${project.path}/tickets/${old}-1`, project);
    expect(body.project_id).toBe(project.id);
  });

  test("stays the project's when it is archived, and taken back", async () => {
    const { project, ticket, old, key } = await makeRenamed();
    expect((await call("DELETE", project.path, project)).status).toBe(204);
    for (const taken of [old, key]) expect((await makeProjectWithKey(project, taken)).status).toBe(409);
    expect((await call("GET", `${project.path}/tickets/${old}-1`, project)).body.id).toBe(ticket.id);
    expect((await call("PATCH", project.path, project, { archived: false, key: old })).status).toBe(200);
    expect((await call("GET", `${project.path}/tickets/${key}-1`, project)).body.ticket_ref).toBe(`${old}-1`);
  });

  test("is told with its owner to those who may see that project, and to nobody else", async () => {
    const { project, old, key } = await makeRenamed();
    const { harness } = hosting.now;
    const { body: owner } = await call("GET", project.path, project);
    const told = { code: "conflict", details: { project: { id: project.id, name: owner.name, key } } };
    const made = await makeProjectWithKey(project, old);
    expect(made).toMatchObject({ status: 409, body: told });
    expect(made.body.error).toBe(
      `The key ${old} belongs to the project ${owner.name}, whose key it was before ${key}`,
    );
    const current = await makeProjectWithKey(project, key);
    expect(current.body.error).toBe(`The key ${key} belongs to the project ${owner.name}`);
    const other = await makeProject(harness, { admin: project.admin });
    const stranger = await makeMember(harness, other, "admin");
    const asStranger = { ...other, admin: stranger };
    const bound = await makeKey(harness, project.admin, {
      scopes: ["admin", "tickets:write", "tickets:read"],
      projectId: other.id,
    });
    for (const { token } of [stranger, bound]) {
      const refused = await harness.call("PATCH", other.path, { token, body: { key: old } });
      expect(refused.status).toBe(409);
      expect(JSON.stringify(refused.body)).not.toContain(owner.name);
      expect(refused.body.details).toBeUndefined();
    }
    await call("PUT", `${project.path}/members/${stranger.id}`, project, { role: "viewer" });
    expect(await rename(asStranger, old)).toMatchObject({ status: 409, body: told });
  });

  test("is passed over where a key is made from the name", async () => {
    const admin = await makeUser(hosting.now.harness, { role: "admin" });
    const make = async () => (await call("POST", "/projects", { admin }, { name: "Reserved" })).body;
    const first = await make();
    await call("PATCH", `/projects/${first.id}`, { admin }, { key: newKey() });
    expect([first.key, (await make()).key, (await make()).key]).toEqual(["RESE", "RESE2", "RESE3"]);
  });

  test("of two projects that are renamed at the same instant is one's, and swapped keys stay where they were", async () => {
    const { harness } = hosting.now;
    const one = await makeProject(harness);
    const other = await makeProject(harness, { admin: one.admin });
    const key = newKey();
    const lock = (tx: Parameters<Parameters<typeof behindLock>[1]>[0]) =>
      tx`select from accounts where id = ${one.accountId}::uuid for update`;
    const both = await behindLock(harness, lock, () => rename(one, key), () => rename(other, key));
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    const [winner, loser] = both[0]!.status === 200 ? [one, other] : [other, one];
    const swapped = await Promise.all([rename(loser, winner.key), rename(winner, loser.key)]);
    expect(swapped.map(({ status }) => status)).toEqual([409, 409]);
    expect((await call("GET", loser.path, loser)).body).toMatchObject({ key: loser.key, former_keys: [] });
  });

  test("is kept by the database against any writer of the row", async () => {
    const { project, old } = await makeRenamed();
    const { sql } = hosting.now.harness;
    const accountId = await makeAccount(hosting.now.harness);
    const insert = (account: string, slug: string) =>
      sql`insert into projects (id, account_id, name, key, slug)
        values (${crypto.randomUUID()}::uuid, ${account}::uuid, 'By hand', ${old}, ${slug})`;
    await expect(Promise.resolve(insert(project.accountId, "by-hand"))).rejects.toThrow("project_keys_key");
    await insert(accountId, "by-hand");
  });
});
