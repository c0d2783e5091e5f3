import { v7 as uuid } from "uuid";
import { beforeAll, describe, expect, test } from "vitest";
import {
  makeMember,
  makeProject,
  makeTicket,
  makeUser,
  type TestProject,
  type TestTicket,
} from "../factories.ts";
import { type CallOptions, useHarness } from "../harness.ts";

const harness = useHarness();
let project: TestProject;
let ticket: TestTicket;
beforeAll(async () => {
  project = await makeProject(harness.now);
});

function call(method: string, path: string, body?: Record<string, unknown>, options: CallOptions = {}) {
  return harness.now.call(method, path, { token: project.admin.token, ...(body && { body }), ...options });
}

async function newTicket(...titles: string[]): Promise<string[]> {
  ticket = await makeTicket(harness.now, project);
  const ids: string[] = [];
  for (const title of titles) ids.push(await add(title));
  return ids;
}

async function add(title: string, fields: Record<string, unknown> = {}): Promise<string> {
  const { status, body } = await call("POST", `${ticket.path}/tasks`, { title, role: "backend", ...fields });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.id;
}

function patch(id: string, body: Record<string, unknown>, options: CallOptions = {}) {
  return call("PATCH", `${ticket.path}/tasks/${id}`, body, options);
}

async function list() {
  return (await call("GET", `${ticket.path}/tasks`)).body.tasks;
}

async function order(): Promise<string[]> {
  const tasks = await list();
  expect(tasks.map(({ sequence }: { sequence: number }) => sequence)).toEqual(
    tasks.map((_: unknown, index: number) => index + 1),
  );
  return tasks.map(({ title }: { title: string }) => title);
}

describe("a new task", () => {
  test("has every field of the contract, and stands behind the others", async () => {
    const [first] = await newTicket("first");
    const made = await call("POST", `${ticket.path}/tasks`, {
      title: "second",
      role: "qa",
      body: "Long text",
      summary: "Short text",
      depends_on_task_ids: [first],
      acceptance_criteria: [{ text: "Works", done: false }, { text: "Is quick" }],
      estimated_minutes: 30,
      assignee_user_id: project.admin.id,
    });
    expect(made.status).toBe(201);
    expect(made.headers.get("location")).toBe(`/api${ticket.path}/tasks/${made.body.id}`);
    expect(made.headers.get("etag")).toBe('"1"');
    expect(made.body).toEqual({
      id: expect.any(String),
      handoff_request_id: ticket.id,
      project_id: project.id,
      sequence: 2,
      title: "second",
      body: "Long text",
      summary: "Short text",
      role: "qa",
      status: "pending",
      assignee_user_id: project.admin.id,
      assignee_session_id: null,
      depends_on_task_ids: [first],
      acceptance_criteria: [{ text: "Works", done: false }, { text: "Is quick", done: false }],
      estimated_minutes: 30,
      actual_minutes: null,
      blocking_reason: null,
      started_at: null,
      completed_at: null,
      lease_expires_at: null,
      version: 1,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect((await call("GET", `${ticket.path}/tasks/${made.body.id}`)).body).toEqual(made.body);
    expect(await order()).toEqual(["first", "second"]);
  });

  test("is refused with the name of what is wrong", async () => {
    await newTicket();
    const other = await makeProject(harness.now);
    const elsewhere = await makeTicket(harness.now, project);
    const foreign = (await call("POST", `${elsewhere.path}/tasks`, { title: "there", role: "qa" })).body.id;
    const viewer = await makeMember(harness.now, project, "viewer");
    const stranger = await makeUser(harness.now);
    const good = { title: "task", role: "qa" };
    const wrong = [
      [{ role: "qa" }, "title"],
      [{ ...good, title: "" }, "title"],
      [{ ...good, role: "boss" }, "role"],
      [{ ...good, status: "done" }, "status"],
      [{ ...good, sequence: 1 }, "sequence"],
      [{ ...good, depends_on_task_ids: [uuid()] }, "depends_on_task_ids.0"],
      [{ ...good, depends_on_task_ids: [foreign] }, "depends_on_task_ids.0"],
      [{ ...good, depends_on_task_ids: [foreign, foreign] }, "depends_on_task_ids"],
      [{ ...good, acceptance_criteria: [{ done: true }] }, "acceptance_criteria.0.text"],
      [{ ...good, estimated_minutes: -1 }, "estimated_minutes"],
      [{ ...good, assignee_user_id: viewer.id }, "assignee_user_id"],
      [{ ...good, assignee_user_id: stranger.id }, "assignee_user_id"],
      [{ ...good, assignee_user_id: uuid() }, "assignee_user_id"],
      [{ ...good, assignee_user_id: other.admin.id }, "assignee_user_id"],
    ] as const;
    for (const [body, field] of wrong) {
      const answer = await call("POST", `${ticket.path}/tasks`, body);
      expect([answer.status, Object.keys(answer.body.fieldErrors)], JSON.stringify(body)).toEqual([400, [
        field,
      ]]);
    }
    expect(await list()).toEqual([]);
  });

  test("of a role that the account has switched off is refused; one that exists goes on", async () => {
    const other = await makeProject(harness.now);
    const one = await makeTicket(harness.now, other);
    const options = { token: other.admin.token };
    const made = await call("POST", `${one.path}/tasks`, { title: "task", role: "qa" }, options);
    await harness.now.sql`update accounts set disabled_roles = '{qa}' where id = ${other.accountId}::uuid`;
    harness.now.services.access.clear();
    const refused = await call("POST", `${one.path}/tasks`, { title: "task", role: "qa" }, options);
    expect([refused.status, Object.keys(refused.body.fieldErrors)]).toEqual([400, ["role"]]);
    const path = `${one.path}/tasks/${made.body.id}`;
    expect((await call("POST", `${path}/claim`, {}, options)).status).toBe(200);
    expect((await call("PATCH", path, { role: "qa", title: "renamed" }, options)).status).toBe(200);
  });

  test("of an unknown ticket or one of another project is 404, of a viewer 403", async () => {
    const [id] = await newTicket("task");
    const other = await makeProject(harness.now);
    const foreign = await makeTicket(harness.now, other);
    const body = { title: "task", role: "qa" };
    for (const path of [`${project.path}/tickets/${uuid()}`, `${project.path}/tickets/${foreign.id}`]) {
      expect((await call("POST", `${path}/tasks`, body)).status).toBe(404);
      expect((await call("GET", `${path}/tasks`)).status).toBe(404);
      expect((await call("GET", `${path}/tasks/${id}`)).status).toBe(404);
      expect((await call("PATCH", `${path}/tasks/${id}`, { title: "x" })).status).toBe(404);
    }
    const viewer = await makeMember(harness.now, project, "viewer");
    expect((await call("POST", `${ticket.path}/tasks`, body, { token: viewer.token })).status).toBe(403);
    expect((await call("GET", `${ticket.path}/tasks`, undefined, { token: viewer.token })).status).toBe(200);
  });
});

describe("the status of a task", () => {
  const reason = { blocking_reason: "Waits for the key" };
  const allowed: Record<string, string[]> = {
    pending: ["in_progress", "blocked", "skipped"],
    in_progress: ["blocked", "done", "pending", "skipped"],
    blocked: ["pending", "in_progress", "skipped"],
    done: ["pending"],
    skipped: ["pending"],
  };
  const way: Record<string, string[]> = {
    pending: [],
    in_progress: ["in_progress"],
    blocked: ["blocked"],
    done: ["in_progress", "done"],
    skipped: ["skipped"],
  };

  test("goes where the rules allow, and nowhere else", async () => {
    await newTicket();
    for (const from of Object.keys(allowed)) {
      for (const to of Object.keys(allowed)) {
        if (from === to) continue;
        const id = await add(`${from} to ${to}`);
        for (const status of way[from]!) await patch(id, { status, ...(status === "blocked" && reason) });
        const answer = await patch(id, { status: to, ...(to === "blocked" && reason) });
        if (allowed[from]!.includes(to)) expect([answer.status, answer.body.status]).toEqual([200, to]);
        else {expect([answer.status, answer.body.code], `${from} to ${to}`).toEqual([
            409,
            "invalid_transition",
          ]);}
      }
    }
  });

  test("brings its times and minutes with it", async () => {
    const [id] = await newTicket("task");
    const started = (await patch(id!, { status: "in_progress" })).body;
    expect(started).toMatchObject({ started_at: expect.any(String), completed_at: null });
    await harness.now.sql`
      with author as materialized (select set_config('handoff.actor', '{"kind":"job","id":"test"}', true))
      update tasks set started_at = now() - interval '95 minutes 10 seconds' from author where id = ${id!}::uuid`;
    const blocked = (await patch(id!, { status: "blocked", ...reason })).body;
    expect(blocked).toMatchObject({ blocking_reason: reason.blocking_reason });
    const resumed = (await patch(id!, { status: "in_progress" })).body;
    expect(resumed).toMatchObject({ blocking_reason: null, started_at: blocked.started_at });
    const done = (await patch(id!, { status: "done" })).body;
    expect(done).toMatchObject({ completed_at: expect.any(String), actual_minutes: 96 });
    const again = (await patch(id!, { status: "pending" })).body;
    expect(again).toMatchObject({
      started_at: null,
      completed_at: null,
      actual_minutes: null,
      assignee_user_id: null,
    });
    await patch(id!, { status: "in_progress" });
    expect((await patch(id!, { status: "done", actual_minutes: 5 })).body.actual_minutes).toBe(5);
  });

  test("blocked needs a reason, and only blocked has one", async () => {
    const [id] = await newTicket("task");
    const wrong = [
      { status: "blocked" },
      { status: "blocked", blocking_reason: null },
      { status: "in_progress", blocking_reason: "why" },
      { blocking_reason: "why" },
    ];
    for (const body of wrong) {
      const answer = await patch(id!, body);
      expect([answer.status, Object.keys(answer.body.fieldErrors)]).toEqual([400, ["blocking_reason"]]);
    }
    await patch(id!, { status: "blocked", ...reason });
    expect((await patch(id!, { blocking_reason: "Another" })).body.blocking_reason).toBe("Another");
    expect((await patch(id!, { blocking_reason: null })).status).toBe(400);
    expect((await patch(id!, { title: "renamed" })).body.blocking_reason).toBe("Another");
    expect((await patch(id!, { status: "pending" })).body.blocking_reason).toBe(null);
  });

  test("can't be in_progress before the dependencies are done or skipped", async () => {
    const [one, two] = await newTicket("one", "two");
    const third = await add("third", { depends_on_task_ids: [one, two] });
    const refused = await patch(third, { status: "in_progress" });
    expect([refused.status, refused.body.code]).toEqual([409, "dependencies_unfinished"]);
    expect(refused.body.error).toBe("Cannot start task third: it waits for one (pending), two (pending)");
    expect(refused.body.details).toEqual({ task_ids: [one, two] });
    await patch(one!, { status: "skipped" });
    expect((await patch(third, { status: "in_progress" })).body.details).toEqual({ task_ids: [two] });
    expect((await patch(third, { status: "in_progress", depends_on_task_ids: [one] })).status).toBe(200);
  });
});

describe("dependencies", () => {
  test("that would make a cycle are refused with the way around it", async () => {
    const [a, b, c] = await newTicket("a", "b", "c");
    await patch(a!, { depends_on_task_ids: [b] });
    await patch(b!, { depends_on_task_ids: [c] });
    const cycle = await patch(c!, { depends_on_task_ids: [a] });
    expect([cycle.status, cycle.body.fieldErrors]).toEqual([
      400,
      { "depends_on_task_ids.0": "Makes a cycle: c → a → b → c" },
    ]);
    expect(cycle.body.details).toEqual({ cycle: [c, a, b, c] });
    const itself = await patch(c!, { depends_on_task_ids: [c] });
    expect(itself.body.fieldErrors).toEqual({ "depends_on_task_ids.0": "Makes a cycle: c → c" });
    expect((await patch(a!, { depends_on_task_ids: [] })).status).toBe(200);
    expect((await patch(c!, { depends_on_task_ids: [a] })).status).toBe(200);
  });
});

describe("changing a task", () => {
  test("takes the fields that are sent, and null clears the optional ones", async () => {
    const [id] = await newTicket("task");
    const full = {
      body: "text",
      summary: "short",
      estimated_minutes: 5,
      acceptance_criteria: [{ text: "a", done: true }],
    };
    expect((await patch(id!, full)).body).toMatchObject({ ...full, version: 2, title: "task" });
    const cleared = { body: null, summary: null, estimated_minutes: null, acceptance_criteria: [] };
    expect((await patch(id!, cleared)).body).toMatchObject({ ...cleared, version: 3 });
    expect((await patch(id!, cleared)).body.version).toBe(3);
  });

  test("a stale If-Match is 412 with the current task, for a deletion too", async () => {
    const [id] = await newTicket("task");
    await patch(id!, { title: "renamed" });
    const headers = { "If-Match": '"1"' };
    for (
      const refused of [
        await patch(id!, { title: "x" }, { headers }),
        await call("DELETE", `${ticket.path}/tasks/${id}`, undefined, { headers }),
      ]
    ) {
      expect([refused.status, refused.body.code, refused.body.details.current.title]).toEqual([
        412,
        "version_conflict",
        "renamed",
      ]);
    }
    expect((await patch(id!, { title: "again" }, { headers: { "If-Match": '"2"' } })).status).toBe(200);
  });

  test("handing a claimed task to another ends the claim", async () => {
    const [id] = await newTicket("task");
    const member = await makeMember(harness.now, project, "member");
    await call("POST", `${ticket.path}/tasks/${id}/claim`);
    expect((await patch(id!, { assignee_user_id: member.id })).body).toMatchObject({
      status: "in_progress",
      assignee_user_id: member.id,
      assignee_session_id: null,
      lease_expires_at: null,
    });
  });
});

describe("deleting a task", () => {
  test("closes the gap, and nothing waits for it any more", async () => {
    const [a, b, c, d] = await newTicket("a", "b", "c", "d");
    await patch(c!, { depends_on_task_ids: [b, a] });
    await patch(a!, { depends_on_task_ids: [b] });
    expect((await call("DELETE", `${ticket.path}/tasks/${b}`)).status).toBe(204);
    expect(await order()).toEqual(["a", "c", "d"]);
    const tasks = await list();
    expect(tasks.map((task: { depends_on_task_ids: string[] }) => task.depends_on_task_ids)).toEqual([
      [],
      [a],
      [],
    ]);
    expect((await call("DELETE", `${ticket.path}/tasks/${b}`)).status).toBe(404);
    expect((await call("DELETE", `${ticket.path}/tasks/${d}`)).status).toBe(204);
    expect(await order()).toEqual(["a", "c"]);
    expect(await add("e") && await order()).toEqual(["a", "c", "e"]);
  });
});

describe("reordering tasks", () => {
  function reorder(task_ids: unknown) {
    return call("POST", `${ticket.path}/tasks/reorder`, { task_ids });
  }

  test("puts them into the given order", async () => {
    const [a, b, c] = await newTicket("a", "b", "c");
    const { status, body } = await reorder([c, a, b]);
    expect([status, body]).toEqual([200, { reordered: true }]);
    expect(await order()).toEqual(["c", "a", "b"]);
    expect((await reorder([c, a, b!.toUpperCase()])).body).toEqual({ reordered: true });
  });

  test("of none is done", async () => {
    await newTicket();
    expect((await reorder([])).body).toEqual({ reordered: true });
  });

  test("names missing, foreign and doubled ids, and changes nothing", async () => {
    const [a, b, c] = await newTicket("a", "b", "c");
    const stranger = uuid();
    const { status, body } = await reorder([c, stranger, c]);
    expect(status).toBe(400);
    expect(body.fieldErrors).toEqual({
      "task_ids.1": `${stranger} is no task of this ticket`,
      "task_ids.2": `${c} is named twice`,
      task_ids: `Lacks ${a}, ${b}`,
    });
    for (const wrong of [[], [a, b], [a, b, c, stranger], [a, b, c, a], ["x", a, b], "all", undefined]) {
      expect((await reorder(wrong)).status, JSON.stringify(wrong)).toBe(400);
    }
    expect(await order()).toEqual(["a", "b", "c"]);
  });
});
