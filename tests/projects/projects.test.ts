import { describe, expect, test } from "vitest";
import { behindLock } from "../behind_lock.ts";
import { makeAccount, makeMember, makeProject, makeTicket, makeUser, next } from "../factories.ts";
import { genericPlan } from "../explaining.ts";
import { useHarness } from "../harness.ts";

const harness = useHarness();
const call = (...args: Parameters<typeof harness.now.call>) => harness.now.call(...args);
const admin = () => makeUser(harness.now, { role: "admin" });

describe("creating a project", () => {
  test("answers 201 with the project as it was asked for", async () => {
    const { token, accountId } = await admin();
    const body = { name: "Handoff", key: "HO", slug: "handoff", repositories: ["Acme/Handoff", "acme/app"] };
    const { status, body: project, headers } = await call("POST", "/projects", { token, body });
    expect(status).toBe(201);
    expect(headers.get("location")).toBe(`/api/projects/${project.id}`);
    expect(project).toEqual({
      ...body,
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      account_id: accountId,
      repositories: ["acme/app", "Acme/Handoff"],
      former_keys: [],
      closing: "anyone",
      time_zone: "UTC",
      archived_at: null,
      created_at: expect.any(String),
      updated_at: project.created_at,
      my_role: "admin",
    });
    expect((await call("GET", `/projects/${project.id}`, { token })).body).toEqual(project);
    const [audited] = (await call("GET", "/admin/audit?action=project.created", { token })).body.audit;
    expect(audited).toMatchObject({ target_id: project.id, details: body });
  });

  test.each([
    ["Handoff", "HAND", "handoff"],
    ["Handoff Ticket Service", "HTS", "handoff-ticket-service"],
    ["x", "XPR", "x"],
    ["Über uns", "UU", "uber-uns"],
    ["Straße der Züge", "SDZ", "strasse-der-zuge"],
    ["2024 Plan", "PPR", "2024-plan"],
    ["42", "PRJ", "42"],
    ["日本語", "PRJ", "project"],
    ["🎫", "PRJ", "project"],
    ["  -- ", "PRJ", "project"],
    ["ﬁne ＡＢＣ", "FA", "fine-abc"],
    ["a b c d e f g h i j k l", "ABCD", "a-b-c-d-e-f-g-h-i-j-k-l"],
    [`${"word ".repeat(23)}word`, "WWWW", "word-word-word-word-word-word-word-word-word-word"],
  ])("makes key and slug of the name %j", async (name, key, slug) => {
    const { token } = await admin();
    const { status, body } = await call("POST", "/projects", { token, body: { name } });
    expect(status).toBe(201);
    expect({ name: body.name, key: body.key, slug: body.slug }).toEqual({ name, key, slug });
    expect(body.key).toMatch(/^[A-Z][A-Z0-9]{1,9}$/);
    expect(body.slug).toMatch(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/);
  });

  test("numbers what is taken, in one account only", async () => {
    const [one, other] = [await admin(), await admin()];
    const make = async (token: string, body: Record<string, unknown>) => {
      const answer = await call("POST", "/projects", { token, body });
      return [answer.body.key, answer.body.slug];
    };
    expect(await make(one.token, { name: "Same" })).toEqual(["SAME", "same"]);
    expect(await make(one.token, { name: "Same" })).toEqual(["SAME2", "same-2"]);
    expect(await make(one.token, { name: "Same", key: "OWN" })).toEqual(["OWN", "same-3"]);
    expect(await make(one.token, { name: "Same", slug: "own" })).toEqual(["SAME3", "own"]);
    expect(await make(one.token, { name: "Alpha Beta" })).toEqual(["AB", "alpha-beta"]);
    expect(await make(one.token, { name: "Apple Banana" })).toEqual(["AB2", "apple-banana"]);
    expect(await make(other.token, { name: "Same", key: "OWN" })).toEqual(["OWN", "same"]);
    expect(await make(other.token, { name: "Same" })).toEqual(["SAME", "same-2"]);
  });

  test("gives 40 that come at once under one name a key and slug each, without a gap", async () => {
    const { token } = await admin();
    const made = await Promise.all(
      Array.from({ length: 40 }, () => call("POST", "/projects", { token, body: { name: "Rush" } })),
    );
    expect(made.map(({ status }) => status)).toEqual(Array(40).fill(201));
    const numbers = (prefix: string, values: string[]) =>
      values.map((value) => Number(value.slice(prefix.length) || "1")).sort((a, b) => a - b);
    const all = Array.from({ length: 40 }, (_, index) => index + 1);
    expect(numbers("RUSH", made.map(({ body }) => body.key))).toEqual(all);
    expect(numbers("rush-", made.map(({ body }) => body.slug))).toEqual(all);
  });

  test("numbers what another project is being renamed to", async () => {
    const project = await makeProject(harness.now);
    const { token } = project.admin;
    const answers = await behindLock(
      harness.now,
      // The renaming has written the key, but is not committed yet.
      (tx) => tx`lock table audit_log in exclusive mode`,
      () => call("PATCH", project.path, { token, body: { key: "RUSH", slug: "rush" } }),
      () => call("POST", "/projects", { token, body: { name: "Rush" } }),
    );
    expect(answers).toMatchObject([{ status: 200 }, { status: 201, body: { key: "RUSH2", slug: "rush-2" } }]);
  });

  test("refuses a key or slug that the account has, by name, and stores nothing", async () => {
    const { token } = await admin();
    await call("POST", "/projects", { token, body: { name: "One", key: "ONE", slug: "one" } });
    const key = await call("POST", "/projects", {
      token,
      body: { name: "Two", key: "ONE", repositories: ["a/b"] },
    });
    expect(key).toMatchObject({
      status: 409,
      body: { code: "conflict", error: expect.stringContaining("key") },
    });
    const slug = await call("POST", "/projects", { token, body: { name: "Two", slug: "one" } });
    expect(slug).toMatchObject({
      status: 409,
      body: { code: "conflict", error: expect.stringContaining("slug") },
    });
    expect((await call("GET", "/projects", { token })).body.projects).toHaveLength(1);
  });

  test("of a given key: of ten at once one wins", async () => {
    const { token } = await admin();
    const made = await Promise.all(
      Array.from(
        { length: 10 },
        () => call("POST", "/projects", { token, body: { name: "Race", key: "RACE" } }),
      ),
    );
    expect(made.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)]);
  });

  test("is for admins; in another account for super admins only", async () => {
    const accountId = await makeAccount(harness.now);
    const member = await makeUser(harness.now);
    const root = await makeUser(harness.now, { role: "super_admin" });
    const body = { name: "Elsewhere", account_id: accountId };
    expect((await call("POST", "/projects", { token: member.token, body: { name: "Mine" } })).status).toBe(
      403,
    );
    expect((await call("POST", "/projects", { token: (await admin()).token, body })).status).toBe(403);
    expect((await call("POST", "/projects", { token: root.token, body })).body.account_id).toBe(accountId);
    const nowhere = { ...body, account_id: crypto.randomUUID() };
    expect((await call("POST", "/projects", { token: root.token, body: nowhere })).status).toBe(404);
  });
});

describe("changing a project", () => {
  test("changes what is given and nothing else, and its tickets follow a new key", async () => {
    const project = await makeProject(harness.now);
    const ticket = await makeTicket(harness.now, project);
    const before = (await call("GET", project.path, { token: project.admin.token })).body;
    const key = `N${next().toString(36).toUpperCase()}`;
    const { status, body } = await call("PATCH", project.path, { token: project.admin.token, body: { key } });
    expect(status).toBe(200);
    expect(body).toEqual({ ...before, key, former_keys: [project.key], updated_at: body.updated_at });
    const [audited] = await harness.now.sql`
      select action, details from audit_log where target_id = ${project.id} order by id desc limit 1`;
    expect(audited).toEqual({ action: "project.updated", details: { key } });
    const read = await call("GET", ticket.path, { token: project.admin.token });
    expect(read.body.ticket_ref).toBe(`${key}-1`);
    for (const ref of [`${key}-1`, `${project.key}-1`]) {
      const byRef = await call("GET", `${project.path}/tickets/${ref}`, { token: project.admin.token });
      expect(byRef.body.id).toBe(ticket.id);
    }
  });

  test("writes nothing for a field that is named and left undefined", async () => {
    const { path, id, admin: { token } } = await makeProject(harness.now);
    const before = (await call("GET", path, { token })).body;
    const body = { json: { id, name: null }, meta: { values: { name: ["undefined"] } } };
    expect((await harness.now.request("POST", "/trpc/projects.update", { token, body })).status).toBe(200);
    expect((await call("GET", path, { token })).body).toEqual(before);
  });

  test("refuses a key or slug that another project has", async () => {
    const owner = await admin();
    const [one, other] = [
      await makeProject(harness.now, { admin: owner }),
      await makeProject(harness.now, { admin: owner }),
    ];
    const answer = await call("PATCH", other.path, {
      token: owner.token,
      body: { name: "New", key: one.key },
    });
    expect(answer).toMatchObject({ status: 409, body: { code: "conflict" } });
    expect((await call("GET", other.path, { token: owner.token })).body.name).not.toBe("New");
  });
});

describe("listing projects", () => {
  test("shows each caller what is theirs, page by page, archived ones apart", async () => {
    const owner = await admin();
    const projects = [];
    for (let i = 0; i < 5; i++) projects.push(await makeProject(harness.now, { admin: owner }));
    await call("DELETE", projects[4]!.path, { token: owner.token });
    const member = await makeMember(harness.now, projects[1]!, "viewer");
    const ids = async (token: string, query = "") => {
      const { body } = await call("GET", `/projects${query}`, { token });
      return body.projects.map(({ id }: { id: string }) => id);
    };
    expect(await ids(owner.token)).toEqual(projects.slice(0, 4).map(({ id }) => id));
    expect(await ids(owner.token, "?archived=true")).toEqual([projects[4]!.id]);
    expect(await ids(member.token)).toEqual([projects[1]!.id]);
    expect(await ids((await admin()).token)).toEqual([]);

    const seen: string[] = [];
    let query = "?limit=3";
    for (let page = 0; page < 2; page++) {
      const { body } = await call("GET", `/projects${query}`, { token: owner.token });
      seen.push(...body.projects.map(({ id }: { id: string }) => id));
      expect(body.next_cursor === null).toBe(page === 1);
      query = `?limit=3&cursor=${body.next_cursor}`;
    }
    expect(seen).toEqual(projects.slice(0, 4).map(({ id }) => id));
  });
});

test("a member's projects are found by an index among those of all accounts", async () => {
  const { sql } = harness.now;
  const project = await makeProject(harness.now);
  const [member, owner] = [await makeMember(harness.now, project, "viewer"), project.admin];
  await sql`
    with other as (
      insert into accounts (id, name, slug) select gen_random_uuid(), 'Other', 'other-' || n from generate_series(1, 500) n
      returning id
    )
    insert into projects (id, account_id, name, key, slug)
    select gen_random_uuid(), id, 'Other', 'P' || n, 'p' || n from other, generate_series(1, 10) n`;
  await sql.unsafe("vacuum analyze projects, project_members");
  for (const { token } of [member, owner]) {
    const list = async () => {
      const { body } = await call("GET", "/projects", { token });
      expect(body.projects.map(({ id }: { id: string }) => id)).toEqual([project.id]);
    };
    expect(await genericPlan(harness.now, list, /as my_role/)).not.toContain("Seq Scan on projects");
  }
});
