import { v7 as uuid } from "uuid";
import { describe, expect, test } from "vitest";
import { behindLock } from "../behind_lock.ts";
import { makeKey, makeMember, makeUser, type TestUser } from "../factories.ts";
import { useTasks } from "./_tasks.ts";

const { add, call, harness, newTicket, patch, world } = useTasks();

const root = () => makeUser(harness.now, { role: "super_admin" });

type Loss = (user: TestUser) => Promise<{ status: number }>;

const member = (user: TestUser) => `${world.project.path}/members/${user.id}`;
const change = (body: Record<string, unknown>): Loss => async ({ id }) =>
  await call("PATCH", `/users/${id}`, body, { token: (await root()).token });

/** The kinds of people who get work, and the ways in which they lose the right to do it. */
const LOSSES: [string, () => Promise<TestUser>, Loss][] = [
  [
    "is removed",
    () => makeMember(harness.now, world.project, "member"),
    (user) => call("DELETE", member(user)),
  ],
  [
    "is made a viewer",
    () => makeMember(harness.now, world.project, "admin"),
    (user) => call("PUT", member(user), { role: "viewer" }),
  ],
  [
    "is deactivated",
    () => makeMember(harness.now, world.project, "member"),
    ({ id }) => call("DELETE", `/users/${id}`),
  ],
  ["is switched off", () => makeMember(harness.now, world.project, "member"), change({ deactivated: true })],
  [
    "is no admin of the account any more",
    () => makeUser(harness.now, { accountId: world.project.accountId, role: "admin" }),
    change({ role: "member" }),
  ],
  [
    "is no super admin any more",
    () => makeUser(harness.now, { accountId: world.project.accountId, role: "super_admin" }),
    change({ role: "member" }),
  ],
];

const read = async (id: string) => (await call("GET", `${world.ticket.path}/tasks/${id}`)).body;

describe("a pending task of somebody who", () => {
  test.each(LOSSES)("%s is free again, with history", async (_, make, lose) => {
    const user = await make();
    await newTicket();
    const id = await add("Waits", { assignee_user_id: user.id });
    const before = await read(id);
    expect((await lose(user)).status).toBeLessThan(300);
    expect(await read(id)).toMatchObject({
      status: "pending",
      assignee_user_id: null,
      assignee_session_id: null,
      version: before.version + 1,
    });
    const { body } = await call("GET", `${world.ticket.path}/history`);
    const entry = body.history.find(({ entity_id, field }: Record<string, unknown>) =>
      entity_id === id && field === "assignee_user_id"
    );
    expect(entry).toMatchObject({ action: "changed", from: user.id, to: null });
    const other = await makeMember(harness.now, world.project, "member");
    const ready = await call("GET", `${world.project.path}/tasks?ready=true`, undefined, {
      token: other.token,
    });
    expect(ready.body.tasks.map((task: { id: string }) => task.id)).toContain(id);
    const claimed = await call("POST", `${world.ticket.path}/tasks/${id}/claim`, undefined, {
      token: other.token,
    });
    expect(claimed).toMatchObject({ status: 200, body: { assignee_user_id: other.id } });
  });

  test("is removed, and stays an admin of the account, stays theirs", async () => {
    const user = await makeUser(harness.now, { accountId: world.project.accountId, role: "admin" });
    await newTicket();
    const id = await add("Waits", { assignee_user_id: user.id });
    await call("PUT", member(user), { role: "viewer" });
    await call("DELETE", member(user));
    await change({ name: "Renamed", role: "super_admin" })(user);
    expect(await read(id)).toMatchObject({ assignee_user_id: user.id, version: 1 });
  });

  test("is removed is freed in that project alone, and what is no longer pending is left to them", async () => {
    const user = await makeMember(harness.now, world.project, "member");
    const { body: other } = await call("POST", "/projects", { name: "Beside" });
    await call("PUT", `/projects/${other.id}/members/${user.id}`, { role: "member" });
    const elsewhere = await call("POST", `/projects/${other.id}/tickets`, {
      title: "Elsewhere",
      description: "A ticket beside it",
      request_type: "bug",
      priority: "low",
      blocking: false,
    });
    const path = `/projects/${other.id}/tickets/${elsewhere.body.ticket.id}/tasks`;
    const kept = await call("POST", path, { title: "Kept", role: "qa", assignee_user_id: user.id });
    await newTicket();
    const [done, pending] = [
      await add("Done", { assignee_user_id: user.id }),
      await add("Waits", { assignee_user_id: user.id }),
    ];
    await patch(done!, { status: "in_progress" });
    await patch(done!, { status: "done" });
    expect((await call("DELETE", member(user))).status).toBe(204);
    expect(await read(done!)).toMatchObject({ status: "done", assignee_user_id: user.id });
    expect(await read(pending!)).toMatchObject({ assignee_user_id: null });
    expect((await call("GET", `${path}/${kept.body.id}`)).body.assignee_user_id).toBe(user.id);
  });

  test.each(LOSSES.slice(0, 3))(
    "%s at the moment when it is given is nobody's or refused",
    async (_, make, lose) => {
      const user = await make();
      await newTicket();
      const id = await add("Waits");
      const lock = (tx: Parameters<Parameters<typeof behindLock>[1]>[0]) =>
        tx`select from users where id = ${user.id}::uuid for update`;
      await behindLock<unknown>(
        harness.now,
        lock,
        () => lose(user),
        () => patch(id, { assignee_user_id: user.id }),
      );
      expect(await read(id)).toMatchObject({ assignee_user_id: null });
      const again = await make();
      await behindLock<unknown>(
        harness.now,
        (tx) => tx`select from users where id = ${again.id}::uuid for update`,
        () => patch(id, { assignee_user_id: again.id }),
        () => lose(again),
      );
      expect(await read(id)).toMatchObject({ assignee_user_id: null });
    },
  );

  test("has no right here is not theirs by an import; what they did is", async () => {
    const writer = await makeMember(harness.now, world.project, "member");
    const viewer = await makeMember(harness.now, world.project, "viewer");
    const left = await makeMember(harness.now, world.project, "member");
    await newTicket();
    await add("Pending", { assignee_user_id: writer.id });
    await call("DELETE", `/users/${left.id}`);
    const { body } = await call("GET", `${world.project.path}/export?limit=100`);
    const record = body.records.find(({ id }: { id: string }) => id === world.ticket.id);
    const [pending] = record.tasks;
    const task = (sequence: number, assignee: string, fields = {}) => ({
      ...pending,
      id: uuid(),
      sequence,
      assignee,
      ...fields,
    });
    const done = { status: "done", started_at: pending.created_at, completed_at: pending.created_at };
    const tasks = [
      task(1, writer.email),
      task(2, viewer.email),
      task(3, left.email),
      task(4, "nobody@example.test"),
      task(5, left.email, done),
    ];
    const records = [{ ...record, id: uuid(), number: record.number + 1000, tasks }];
    expect((await call("POST", `${world.project.path}/import`, { records })).body).toMatchObject({
      imported: 1,
    });
    const imported = await call("GET", `${world.project.path}/tickets/${records[0].id}/tasks`);
    expect(imported.body.tasks.map((task: { assignee_user_id: string }) => task.assignee_user_id)).toEqual(
      [writer.id, null, null, null, left.id],
    );
  });

  test("was removed while a question blocked it is free when the question ends", async () => {
    const user = await makeMember(harness.now, world.project, "member");
    await newTicket();
    const id = await add("Waits", { assignee_user_id: user.id });
    const ask = { prompt: "Which one shall it be?", task_id: id };
    const { body: question } = await call("POST", `${world.ticket.path}/questions`, ask);
    expect(await read(id)).toMatchObject({ status: "blocked", assignee_user_id: user.id });
    expect((await call("DELETE", member(user))).status).toBe(204);
    const withdrawn = await call("POST", `${world.ticket.path}/questions/${question.id}/withdraw`, {});
    expect(withdrawn.status).toBe(200);
    expect(await read(id)).toMatchObject({ status: "pending", assignee_user_id: null });
  });

  test("was removed is given back only to somebody who may write", async () => {
    const user = await makeMember(harness.now, world.project, "member");
    await newTicket();
    const id = await add("Waits", { assignee_user_id: user.id });
    expect((await patch(id, { status: "blocked", blocking_reason: "A supplier" })).status).toBe(200);
    expect((await call("DELETE", member(user))).status).toBe(204);
    expect(await read(id)).toMatchObject({ status: "blocked", assignee_user_id: user.id });
    const refused = await patch(id, { status: "pending", assignee_user_id: user.id });
    expect(refused).toMatchObject({ status: 400, body: { issues: [{ path: "assignee_user_id" }] } });
    expect((await patch(id, { status: "pending" })).body).toMatchObject({ assignee_user_id: null });
  });

  test("has a key revoked stays theirs: it was given to the person, who may still write", async () => {
    const bot = await makeMember(harness.now, world.project, "member", "bot");
    const key = await makeKey(harness.now, bot);
    await newTicket();
    const id = await add("Waits", { assignee_user_id: bot.id });
    const token = (await root()).token;
    expect((await call("DELETE", `/keys/${key.id}`, undefined, { token })).status).toBe(204);
    expect(await read(id)).toMatchObject({ assignee_user_id: bot.id });
  });
});
