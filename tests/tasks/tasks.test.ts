import { v7 as uuid } from "uuid";
import { describe, expect, test } from "vitest";
import { makeMember, makeProject, makeTicket, makeUser } from "../factories.ts";
import { useTasks } from "./_tasks.ts";

const { add, call, harness, list, newTicket, order, patch, world } = useTasks();

describe("a new task", () => {
  test("has every field of the contract, and stands behind the others", async () => {
    const [first] = await newTicket("first");
    const made = await call("POST", `${world.ticket.path}/tasks`, {
      title: "second",
      role: "qa",
      body: "Long text",
      summary: "Short text",
      depends_on_task_ids: [first],
      acceptance_criteria: [{ text: "Works", done: false }, { text: "Is quick" }],
      estimated_minutes: 30,
      assignee_user_id: world.project.admin.id,
    });
    expect(made.status).toBe(201);
    expect(made.headers.get("location")).toBe(`/api${world.ticket.path}/tasks/${made.body.id}`);
    expect(made.headers.get("etag")).toBe('"1"');
    expect(made.body).toEqual({
      id: expect.any(String),
      handoff_request_id: world.ticket.id,
      project_id: world.project.id,
      number: 2,
      sequence: 2,
      title: "second",
      body: "Long text",
      summary: "Short text",
      role: "qa",
      status: "pending",
      assignee_user_id: world.project.admin.id,
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
    expect((await call("GET", `${world.ticket.path}/tasks/${made.body.id}`)).body).toEqual(made.body);
    expect(await order()).toEqual(["first", "second"]);
  });

  test("is refused with the name of what is wrong", async () => {
    await newTicket();
    const other = await makeProject(harness.now);
    const elsewhere = await makeTicket(harness.now, world.project);
    const foreign = (await call("POST", `${elsewhere.path}/tasks`, { title: "there", role: "qa" })).body.id;
    const viewer = await makeMember(harness.now, world.project, "viewer");
    const stranger = await makeUser(harness.now);
    const gone = await makeMember(harness.now, world.project, "member");
    await call("DELETE", `/users/${gone.id}`);
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
      [{ ...good, assignee_user_id: gone.id }, "assignee_user_id"],
    ] as const;
    for (const [body, field] of wrong) {
      const answer = await call("POST", `${world.ticket.path}/tasks`, body);
      expect([answer.status, Object.keys(answer.body.fieldErrors)], JSON.stringify(body)).toEqual([400, [
        field,
      ]]);
    }
    expect(await list()).toEqual([]);
  });

  test("is one of 500 of its ticket at the most", async () => {
    await newTicket();
    await harness.now.sql`
      with author as materialized (select set_config('handoff.actor', '{"kind":"job","id":"test"}', true))
      insert into tasks (id, ticket_id, project_id, sequence, title, role)
      select gen_random_uuid(), ${world.ticket.id}::uuid, ${world.project.id}::uuid, n, 'task', 'qa'
      from author, generate_series(1, 499) n`;
    await add("the last");
    const { status, body } = await call("POST", `${world.ticket.path}/tasks`, { title: "more", role: "qa" });
    expect([status, body.error]).toEqual([
      409,
      `Cannot add a task to ticket ${world.ticket.ref}: it has 500 already`,
    ]);
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
    for (
      const path of [`${world.project.path}/tickets/${uuid()}`, `${world.project.path}/tickets/${foreign.id}`]
    ) {
      expect((await call("POST", `${path}/tasks`, body)).status).toBe(404);
      expect((await call("GET", `${path}/tasks`)).status).toBe(404);
      expect((await call("GET", `${path}/tasks/${id}`)).status).toBe(404);
      expect((await call("PATCH", `${path}/tasks/${id}`, { title: "x" })).status).toBe(404);
    }
    const viewer = await makeMember(harness.now, world.project, "viewer");
    expect((await call("POST", `${world.ticket.path}/tasks`, body, { token: viewer.token })).status).toBe(
      403,
    );
    expect((await call("GET", `${world.ticket.path}/tasks`, undefined, { token: viewer.token })).status).toBe(
      200,
    );
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

  test("null empties its lists", async () => {
    const [first, id] = await newTicket("first", "task");
    await patch(id!, { depends_on_task_ids: [first], acceptance_criteria: [{ text: "a" }] });
    expect((await patch(id!, { depends_on_task_ids: null, acceptance_criteria: null })).body).toMatchObject({
      depends_on_task_ids: [],
      acceptance_criteria: [],
      version: 3,
    });
  });

  test("what is sent wins over what a status brings about, also where it is what was there before", async () => {
    const [id] = await newTicket("task");
    const { id: assignee_user_id } = world.project.admin;
    const begin = { status: "in_progress", assignee_user_id, actual_minutes: 7 };
    const given = { assignee_user_id, actual_minutes: 7 };
    await patch(id!, begin);
    expect((await patch(id!, { status: "pending", ...given })).body).toMatchObject({
      status: "pending",
      ...given,
      started_at: null,
    });
    await patch(id!, { status: "in_progress" });
    expect((await patch(id!, { status: "pending", actual_minutes: 7 })).body).toMatchObject({
      assignee_user_id: null,
      actual_minutes: 7,
    });
    for (const actual_minutes of [5, null]) {
      await patch(id!, { status: "in_progress", actual_minutes });
      expect((await patch(id!, { status: "done", actual_minutes: null })).body.actual_minutes).toBe(null);
      await patch(id!, { status: "pending" });
    }
  });

  test("a stale If-Match is 412 with the current task, for a deletion too", async () => {
    const [id] = await newTicket("task");
    await patch(id!, { title: "renamed" });
    const headers = { "If-Match": '"1"' };
    for (
      const refused of [
        await patch(id!, { title: "x" }, { headers }),
        await call("DELETE", `${world.ticket.path}/tasks/${id}`, undefined, { headers }),
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

  test("gives it to nobody who may not write in the project", async () => {
    const [id] = await newTicket("task");
    const viewer = await makeMember(harness.now, world.project, "viewer");
    const stranger = await makeUser(harness.now);
    for (const { id: assignee_user_id } of [viewer, stranger]) {
      const { status, body } = await patch(id!, { assignee_user_id });
      expect([status, Object.keys(body.fieldErrors)]).toEqual([400, ["assignee_user_id"]]);
    }
  });

  test("handing a claimed task to another ends the claim", async () => {
    const [id] = await newTicket("task");
    const member = await makeMember(harness.now, world.project, "member");
    await call("POST", `${world.ticket.path}/tasks/${id}/claim`);
    expect((await patch(id!, { assignee_user_id: member.id })).body).toMatchObject({
      status: "in_progress",
      assignee_user_id: member.id,
      assignee_session_id: null,
      lease_expires_at: null,
    });
  });
});
