import { describe, expect, test } from "vitest";
import {
  makeKey,
  makeMember,
  makeProject,
  makeTicket,
  type TestProject,
  type TestUser,
} from "../factories.ts";
import { useHarness } from "../harness.ts";

const harness = useHarness();

type Caller = Pick<TestUser, "token">;

function call(method: string, path: string, { token }: Caller, body?: Record<string, unknown>) {
  return harness.now.call(method, path, { token, ...(body && { body }) });
}

async function save(caller: Caller, body: Record<string, unknown>) {
  const answer = await call("POST", "/views", caller, { name: "A view", ...body });
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return answer.body as { id: string; place: number | null };
}

async function namesFor(caller: Caller, query = ""): Promise<string[]> {
  const { status, body } = await call("GET", `/views${query}`, caller);
  expect(status).toBe(200);
  return body.views.map(({ name }: { name: string }) => name);
}

async function makeTeam() {
  const project = await makeProject(harness.now);
  const member = (role: "viewer" | "member" | "admin") => makeMember(harness.now, project, role);
  return { project, ann: await member("member"), ben: await member("member"), vic: await member("viewer") };
}

describe("a saved view", () => {
  test("is its owner's alone until it is shared with the readers of its project", async () => {
    const { project, ann, ben, vic } = await makeTeam();
    const outsider = await makeProject(harness.now);
    const { id } = await save(ann, {
      name: "Late designs",
      project_id: project.id,
      query: "label:design is:overdue",
    });
    expect(await namesFor(ann)).toEqual(["Late designs"]);
    for (const other of [ben, vic, project.admin]) expect(await namesFor(other)).toEqual([]);
    expect(await call("GET", `/views/${id}`, ben)).toMatchObject({
      status: 404,
      body: { code: "not_found" },
    });
    expect((await call("PATCH", `/views/${id}`, ann, { shared: true })).body).toMatchObject({ shared: true });
    for (const other of [ben, vic, project.admin]) expect(await namesFor(other)).toEqual(["Late designs"]);
    expect(await namesFor(outsider.admin)).toEqual([]);
    expect((await call("GET", `/views/${id}`, outsider.admin)).status).toBe(404);
  });

  test("is changed and deleted by its owner and by admins of the project", async () => {
    const { project, ann, ben } = await makeTeam();
    const { id } = await save(ann, { project_id: project.id, shared: true });
    for (const [method, body] of [["PATCH", { name: "Ben's" }], ["DELETE", undefined]] as const) {
      expect(await call(method, `/views/${id}`, ben, body)).toMatchObject({
        status: 403,
        body: { code: "forbidden" },
      });
    }
    const changed = await call("PATCH", `/views/${id}`, project.admin, {
      layout: "board",
      group_by: "assignee",
    });
    expect(changed.body).toMatchObject({ layout: "board", group_by: "assignee", owner_user_id: ann.id });
    expect((await call("DELETE", `/views/${id}`, project.admin)).status).toBe(204);
    expect((await call("DELETE", `/views/${id}`, ann)).status).toBe(404);
  });

  test("of all projects can't be shared, and a viewer can't share one", async () => {
    const { project, ann, vic } = await makeTeam();
    const everywhere = await call("POST", "/views", ann, { name: "All", shared: true });
    expect(everywhere).toMatchObject({ status: 400, body: { fieldErrors: { shared: expect.any(String) } } });
    const byViewer = { name: "Mine", project_id: project.id };
    expect((await call("POST", "/views", vic, { ...byViewer, shared: true })).status).toBe(403);
    const own = await save(vic, byViewer);
    expect((await call("PATCH", `/views/${own.id}`, vic, { shared: true })).status).toBe(403);
    const { id } = await save(ann, { name: "All" });
    expect((await call("PATCH", `/views/${id}`, ann, { shared: true })).status).toBe(400);
  });

  test("stands in each person's sidebar at a place of their own", async () => {
    const { project, ann, ben } = await makeTeam();
    const { id, place } = await save(ann, { project_id: project.id, shared: true, place: 3 });
    expect(place).toBe(3);
    expect((await call("GET", `/views/${id}`, ben)).body.place).toBeNull();
    expect((await call("PATCH", `/views/${id}`, ben, { place: 1 })).body.place).toBe(1);
    expect((await call("GET", `/views/${id}`, ann)).body.place).toBe(3);
    expect((await call("PATCH", `/views/${id}`, ben, { place: null })).body.place).toBeNull();
    expect((await call("DELETE", `/views/${id}`, ann)).status).toBe(204);
  });

  test("is out of sight while its owner doesn't see the project", async () => {
    const { project, ann } = await makeTeam();
    await save(ann, { name: "Private", project_id: project.id });
    await save(ann, { name: "Everywhere" });
    expect((await call("DELETE", `${project.path}/members/${ann.id}`, project.admin)).status).toBe(204);
    expect(await namesFor(ann)).toEqual(["Everywhere"]);
    expect(await namesFor(ann, `?project_id=${project.id}`)).toEqual([]);
  });

  test("needs a text that the list can read, and stays when its label is gone", async () => {
    const { project, ann } = await makeTeam();
    for (const query of ["label:ui or priority:high", "x".repeat(2_001), "label:a ".repeat(21)]) {
      const { status, body } = await call("POST", "/views", ann, {
        name: "Bad",
        project_id: project.id,
        query,
      });
      expect([status, Object.keys(body.fieldErrors)]).toEqual([400, ["query"]]);
    }
    const label = await call("POST", `${project.path}/labels`, project.admin, { name: "gone" });
    const { id } = await save(ann, { project_id: project.id, query: "label:gone" });
    await call("DELETE", `${project.path}/labels/${label.body.id}`, project.admin);
    const { body: view } = await call("GET", `/views/${id}`, ann);
    expect(view.query).toBe("label:gone");
    const found = await call("GET", `${project.path}/tickets?q=${encodeURIComponent(view.query)}`, ann);
    expect(found.body).toMatchObject({ tickets: [], unrecognized: [{ key: "label", value: "gone" }] });
  });

  test("is one of at most 200 of a person and of 50 in a sidebar, also by calls at once", async () => {
    const { project, ann } = await makeTeam();
    await harness.now.sql`
      insert into views (id, project_id, owner_user_id, name, query, layout, group_by, sort)
      select gen_random_uuid(), ${project.id}::uuid, ${ann.id}::uuid, 'View ' || n, '', 'list', 'none', '-created_at'
      from generate_series(1, 198) n`;
    const saved = await Promise.all(
      Array.from({ length: 5 }, () => call("POST", "/views", ann, { name: "More", project_id: project.id })),
    );
    expect(saved.map(({ status }) => status).toSorted()).toEqual([201, 201, 409, 409, 409]);
    await harness.now.sql`
      insert into view_pins (user_id, view_id, place)
      select ${ann.id}::uuid, id, 1 from views where owner_user_id = ${ann.id}::uuid and name like 'View %' limit 49`;
    const { body } = await call("GET", "/views?limit=200", ann);
    const unpinned = body.views.filter(({ place }: { place: number | null }) => place === null).slice(0, 4);
    const pinned = await Promise.all(
      unpinned.map(({ id }: { id: string }) => call("PATCH", `/views/${id}`, ann, { place: 2 })),
    );
    expect(pinned.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409]);
  });

  test("of a key that is bound to a project is one of that project", async () => {
    const { project, ann } = await makeTeam();
    const other = await makeProject(harness.now, { admin: project.admin });
    await save(project.admin, { name: "Elsewhere", project_id: other.id });
    await save(project.admin, { name: "Everywhere" });
    await save(ann, { name: "Here", project_id: project.id, shared: true });
    const key = await makeKey(harness.now, project.admin, { projectId: project.id });
    expect(await namesFor(key)).toEqual(["Here"]);
    expect((await call("POST", "/views", key, { name: "All" })).status).toBe(403);
    expect((await call("POST", "/views", key, { name: "Other", project_id: other.id })).status).toBe(403);
    await save(key, { name: "Of the key", project_id: project.id });
  });

  test("comes in pages, oldest first", async () => {
    const { ann } = await makeTeam();
    for (const name of ["One", "Two", "Three"]) await save(ann, { name });
    const first = await call("GET", "/views?limit=2", ann);
    expect(first.body.views).toMatchObject([{ name: "One" }, { name: "Two" }]);
    const second = await call("GET", `/views?limit=2&cursor=${first.body.next_cursor}`, ann);
    expect(second.body).toMatchObject({ views: [{ name: "Three" }], next_cursor: null });
  });
});

describe("my work", () => {
  async function assign(project: TestProject, user: TestUser, fields: Record<string, unknown> = {}) {
    return await makeTicket(harness.now, project, { assignee_user_id: user.id, ...fields });
  }

  async function workOf(caller: Caller, query = "") {
    const { status, body } = await call("GET", `/my-work${query}`, caller);
    expect(status).toBe(200);
    return body;
  }

  async function titlesOf(caller: Caller): Promise<string[]> {
    const { work } = await workOf(caller);
    return work.map(({ ticket }: { ticket: { title: string } }) => ticket.title);
  }

  test("is what is assigned to the caller in all projects, what others wait for first, then by due date", async () => {
    const { project, ann, ben } = await makeTeam();
    const other = await makeProject(harness.now, { admin: project.admin });
    await call("PUT", `${other.path}/members/${ann.id}`, project.admin, { role: "member" });
    await assign(project, ann, { title: "Never due" });
    await assign(other, ann, { title: "Due late", due_on: "2999-12-31" });
    await assign(project, ann, { title: "Due soon", due_on: "2999-01-01" });
    const blocker = await assign(other, ann, { title: "Blocks another" });
    const waiting = await assign(project, ben, { title: "Ben's" });
    const link = { kind: "blocked_by", ticket: blocker.id };
    expect((await call("POST", `${waiting.path}/links`, project.admin, link)).status).toBe(201);
    expect(await titlesOf(ann)).toEqual(["Blocks another", "Due soon", "Due late", "Never due"]);
    const { work: [first] } = await workOf(ann);
    expect(first).toMatchObject({
      assigned: true,
      blocks: 1,
      open_blockers: 0,
      my_tasks: [],
      project: { id: other.id },
      ticket: { id: blocker.id },
    });
    await call("PATCH", waiting.path, project.admin, { status: "closed", resolution_type: "wont_fix" });
    expect(await titlesOf(ann)).toEqual(["Due soon", "Due late", "Never due", "Blocks another"]);
  });

  test("has tickets of which the caller has an unfinished task, each once", async () => {
    const { project, ann } = await makeTeam();
    const { path } = await makeTicket(harness.now, project, { title: "Has tasks" });
    const task = (title: string) =>
      call("POST", `${path}/tasks`, project.admin, { title, role: "qa", assignee_user_id: ann.id });
    const { body: one } = await task("First");
    await task("Second");
    const { work } = await workOf(ann);
    expect(work).toMatchObject([{
      assigned: false,
      ticket: { title: "Has tasks" },
      my_tasks: [{ title: "First", status: "pending" }, { title: "Second" }],
    }]);
    await call("PATCH", `${path}/tasks/${one.id}`, project.admin, { status: "skipped" });
    expect((await workOf(ann)).work[0].my_tasks).toMatchObject([{ title: "Second" }]);
  });

  test("leaves out what is closed, archived or out of the caller's sight", async () => {
    const { project, ann } = await makeTeam();
    const archived = await makeProject(harness.now, { admin: project.admin });
    await call("PUT", `${archived.path}/members/${ann.id}`, project.admin, { role: "member" });
    await assign(archived, ann);
    await call("DELETE", archived.path, project.admin);
    const closed = await assign(project, ann);
    await call("PATCH", closed.path, project.admin, { status: "closed", resolution_type: "wont_fix" });
    expect(await titlesOf(ann)).toEqual([]);
    await assign(project, ann, { title: "Seen by all" });
    expect(await titlesOf(ann)).toEqual(["Seen by all"]);
    await harness.now.sql`delete from project_members where user_id = ${ann.id}::uuid`;
    harness.now.services.access.clear();
    expect(await titlesOf(ann)).toEqual([]);
  });

  test("comes in pages without a gap or a repeat", async () => {
    const { project, ann } = await makeTeam();
    for (let at = 0; at < 7; at++) {
      await assign(project, ann, { ...(at % 2 === 0 && { due_on: "2999-01-01" }), blocking: at % 3 === 0 });
    }
    const seen: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const { work, next_cursor }: { work: { ticket: { id: string } }[]; next_cursor: string | null } =
        await workOf(
          ann,
          `?limit=2${cursor && `&cursor=${cursor}`}`,
        );
      seen.push(...work.map(({ ticket }) => ticket.id));
      cursor = next_cursor;
    }
    const { work } = await workOf(ann);
    expect(seen).toEqual(work.map(({ ticket }: { ticket: { id: string } }) => ticket.id));
    expect(new Set(seen).size).toBe(7);
  });

  test("costs as many statements for one ticket as for thirty", async () => {
    const { project, ann } = await makeTeam();
    await assign(project, ann);
    await workOf(ann);
    const one = await harness.now.count(() => workOf(ann));
    for (let at = 0; at < 29; at++) await assign(project, ann);
    expect(await harness.now.count(() => workOf(ann))).toBe(one);
  });
});
