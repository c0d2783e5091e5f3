import { beforeAll, describe, expect, test } from "vitest";
import { PAGE_BYTES } from "../../src/core/answer_budget.ts";
import type { ProjectContext } from "../../src/core/context.ts";
import { listProjectTasks } from "../../src/tasks/list_project_tasks.ts";
import { ListProjectTasks } from "../../src/tasks/schema.ts";
import { explaining } from "../explaining.ts";
import {
  makeKey,
  makeMember,
  makeProject,
  makeTicket,
  type TestProject,
  type TestUser,
} from "../factories.ts";
import { useTasks } from "./_tasks.ts";

const { add, call, harness, newTicket, patch, world } = useTasks();

type Listed = { id: string; title: string; ticket_ref: string; ticket_status: string };

async function list(query: string, options = {}): Promise<Listed[]> {
  const { status, body } = await call("GET", `${world.project.path}/tasks?${query}`, undefined, options);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body.tasks;
}
const titles = async (...args: Parameters<typeof list>) => (await list(...args)).map(({ title }) => title);

describe("the tasks of a project", () => {
  let member: TestUser;

  beforeAll(async () => {
    member = await makeMember(harness.now, world.project, "member");
    const [one, , three] = await newTicket("one", "two", "three");
    await add("waits", { depends_on_task_ids: [one], role: "qa" });
    await patch(one!, { status: "in_progress", assignee_user_id: member.id });
    await patch(three!, { status: "blocked", blocking_reason: "No bucket" });
    const [done, skipped] = await newTicket("done", "skipped");
    await patch(done!, { status: "in_progress" });
    await patch(done!, { status: "done", assignee_user_id: member.id });
    await patch(skipped!, { status: "skipped" });
    await add("follows", { depends_on_task_ids: [done, skipped], role: "qa" });
    await add("given", { assignee_user_id: member.id });
    await newTicket("of a closed ticket");
    await call("PATCH", world.ticket.path, { status: "closed" });
    const other = await makeProject(harness.now, { admin: world.project.admin });
    const elsewhere = await makeTicket(harness.now, other);
    await call("POST", `${elsewhere.path}/tasks`, { title: "elsewhere", role: "qa" });
  });

  test("are those of all its tickets, oldest first, each as its ticket shows it and with the ticket's ref and status", async () => {
    const tasks = await list("");
    expect(tasks.map(({ title }) => title)).toEqual(
      ["one", "two", "three", "waits", "done", "skipped", "follows", "given", "of a closed ticket"],
    );
    const { ticket_ref, ticket_status, ...last } = tasks.at(-1)!;
    expect([ticket_ref, ticket_status]).toEqual([world.ticket.ref, "closed"]);
    expect((await call("GET", `${world.ticket.path}/tasks/${last.id}`)).body).toEqual(last);
    expect(new Set(tasks.map(({ ticket_ref }) => ticket_ref)).size).toBe(3);
    expect(tasks.filter(({ ticket_status }) => ticket_status === "open")).toHaveLength(8);
  });

  test("are filtered by each field, and by several at once", async () => {
    const expected = {
      "status=pending": ["two", "waits", "follows", "given", "of a closed ticket"],
      "status=in_progress": ["one"],
      "status=blocked": ["three"],
      "status=done": ["done"],
      "status=skipped": ["skipped"],
      "status=unfinished": ["one", "two", "three", "waits", "follows", "given", "of a closed ticket"],
      "role=qa": ["waits", "follows"],
      [`assignee_user_id=${member.id}`]: ["one", "done", "given"],
      [`assignee_user_id=${member.id}&status=unfinished`]: ["one", "given"],
      [`assignee_user_id=${member.id}&status=pending&role=qa`]: [],
      "role=design": [],
    };
    for (const [query, found] of Object.entries(expected)) {
      expect(await titles(query), query).toEqual(found);
    }
  });

  test("are ready when the caller may claim them, as each ticket's next one tells", async () => {
    expect(await titles("ready=true")).toEqual(["two", "follows"]);
    expect(await titles("ready=true", { token: member.token })).toEqual(["two", "follows", "given"]);
    expect(await titles("ready=true&role=qa&limit=1")).toEqual(["follows"]);
    expect(await titles("ready=false&status=pending")).toEqual(["waits", "given", "of a closed ticket"]);
    expect(await titles("ready=false&status=unfinished")).toEqual(
      ["one", "three", "waits", "given", "of a closed ticket"],
    );
    const [next] = await list("ready=true");
    const ticket = (await call("GET", `${world.project.path}/tickets/${next!.ticket_ref}`)).body.id;
    const told = await call("GET", `${world.project.path}/tickets/${ticket}/tasks/next`);
    expect(told.body.id).toBe(next!.id);
  });

  test("are ready for nobody who may only read them", async () => {
    const all = await titles("");
    const viewer = await makeMember(harness.now, world.project, "viewer");
    const key = await makeKey(harness.now, member, { scopes: ["tasks:read"] });
    for (const options of [{ token: viewer.token }, { token: key.token }]) {
      expect(await titles("ready=true", options)).toEqual([]);
      expect(await titles("ready=false", options)).toEqual(all);
    }
    const writer = await makeKey(harness.now, member, { scopes: ["tasks:read", "tasks:write"] });
    expect(await titles("ready=true", { token: writer.token })).toEqual(["two", "follows", "given"]);
  });

  test("are ready for nobody once their project is archived", async () => {
    const { admin } = world.project;
    const project = await makeProject(harness.now, { admin });
    const ticket = await makeTicket(harness.now, project);
    await call("POST", `${ticket.path}/tasks`, { title: "left", role: "backend" });
    await call("DELETE", project.path);
    for (const [ready, found] of [[true, []], [false, [{ title: "left" }]]] as const) {
      const { status, body } = await call("GET", `${project.path}/tasks?ready=${ready}`);
      expect([status, body.tasks]).toMatchObject([200, found]);
    }
    expect((await call("GET", `${ticket.path}/tasks/next`)).status).toBe(404);
  });

  test("take one statement for every request, and ready ones another for tickets without tasks", async () => {
    for (
      const [query, statements] of [["", 1], ["ready=true", 2], ["status=unfinished&limit=200", 1]] as const
    ) {
      await list(query);
      expect(await harness.now.count(() => list(query)), query).toBe(statements);
    }
  });

  test("are refused with the name of what is wrong", async () => {
    for (
      const query of [
        "status=open",
        "role=boss",
        "ready=yes",
        "assignee_user_id=me",
        "sort=id",
        "cursor=AAAA",
      ]
    ) {
      const { status, body } = await call("GET", `${world.project.path}/tasks?${query}`);
      expect([status, Object.keys(body.fieldErrors)], query).toEqual([400, [query.split("=")[0]]]);
    }
  });

  test("come in pages that hold each once, also when others are added in between", async () => {
    for (const query of ["limit=2", "limit=2&status=unfinished"]) {
      const before = await list(query.replace("2", "200"));
      const seen: string[] = [];
      let cursor: string | null = "";
      while (cursor !== null) {
        const { body } = await call(
          "GET",
          `${world.project.path}/tasks?${query}${cursor && `&cursor=${cursor}`}`,
        );
        seen.push(...body.tasks.map(({ id }: Listed) => id));
        cursor = body.next_cursor;
        if (seen.length <= 4) await newTicket(`late ${seen.length}`);
      }
      const added = (await list(query.replace("2", "200"))).map(({ id }) => id);
      expect(added.length, query).toBe(before.length + 2);
      expect(seen, query).toEqual(added);
    }
  });
});

/** Reads a page, and returns the plan of the database. */
async function planOfPage(project: TestProject, query: object): Promise<string> {
  const { sql, services } = harness.now;
  const plans: string[] = [];
  const ctx = {
    ...services,
    db: explaining(sql, plans),
    pageBytes: PAGE_BYTES,
    project,
    actor: { user: project.admin, credential: { type: "session" } },
  } as unknown as ProjectContext;
  const input = ListProjectTasks.parse({ id: project.id, limit: 20, ...query });
  await listProjectTasks(ctx, input);
  // A first page asks for tickets without tasks, too.
  return plans.find((plan) => / on tasks t\b/.test(plan))!;
}

describe("the tasks of a project with 20,000", () => {
  let project: TestProject;

  beforeAll(async () => {
    project = await makeProject(harness.now);
    const ticket = await makeTicket(harness.now, project);
    const { admin } = project;
    await harness.now.sql.begin(async (sql) => {
      // Nobody reads their history.
      await sql`set local session_replication_role = replica`;
      await sql`
        insert into tasks (id, ticket_id, project_id, sequence, number, title, role, status, completed_at, assignee_user_id)
        select gen_random_uuid(), ${ticket.id}::uuid, ${project.id}::uuid, n, n, 'Task', 'qa', status,
          case status when 'done' then now() end, case when n % 100 < 3 then ${admin.id}::uuid end
        from generate_series(1, 20000) n,
          lateral (select case when n % 50 = 0 then 'pending' when n % 9 = 0 then 'skipped' else 'done' end as status) x`;
    });
    await harness.now.sql.unsafe("vacuum analyze tasks");
  });

  test("are read in the order of an index, which each page begins in", async () => {
    const cursor = btoa(JSON.stringify([world.project.id])).replaceAll("=", "");
    const mine = { assignee_user_id: project.admin.id };
    const ofPending = "tasks_(?:unfinished|status)_idx"; // neither holds what is finished
    const expected = [
      [{}, "tasks_project_idx"],
      [{ status: "blocked" }, "tasks_status_idx"],
      [{ status: "unfinished" }, "tasks_unfinished_idx"],
      [{ status: "pending" }, ofPending],
      [{ ready: true }, ofPending],
      [{ ready: true, status: "unfinished" }, ofPending],
      [mine, "tasks_assignee_idx"],
      [{ role: "design" }, "tasks_role_idx"],
    ] as const;
    for (const [query, index] of expected) {
      const plan = await planOfPage(project, { cursor, ...query });
      expect(plan, JSON.stringify(query)).toMatch(new RegExp(`using ${index} on tasks t`));
      expect(plan, JSON.stringify(query)).toMatch(/Index Cond: .*\bid > /);
      expect(plan, JSON.stringify(query)).not.toMatch(/Sort Key|Seq Scan on tasks/);
    }
  });

  test("are read in order up to a page of those that can be claimed, where most can", async () => {
    const backlog = await makeProject(harness.now);
    await harness.now.sql.begin(async (sql) => {
      await sql`set local session_replication_role = replica`;
      await sql`
        insert into tasks (id, ticket_id, project_id, sequence, number, title, role)
        select gen_random_uuid(), md5((n / 4)::text)::uuid, ${backlog.id}::uuid, n, n, 'Task', 'backend'
        from generate_series(1, 2000) n`;
    });
    await harness.now.sql.unsafe("vacuum analyze tasks");
    for (const query of [{ ready: true }, { ready: true, role: "backend" }]) {
      // There are enough tasks that a join would read every task on which other tasks depend.
      expect(await planOfPage(backlog, query), JSON.stringify(query)).not.toMatch(/Sort Key|Join/);
    }
  });
});
