import { describe, expect, test } from "vitest";
import type { TransactionSql } from "../../db/open.ts";
import { behindLock, besideLock } from "../behind_lock.ts";
import {
  makeKey,
  makeMember,
  makeProject,
  makeTicket,
  type TestProject,
  type TestTicket,
} from "../factories.ts";
import { useHarness } from "../harness.ts";
import { analyze, decide, embedding, list, stateOf } from "./world.ts";

let silent = false;
const { embedder } = embedding;
/** The model of the other tests. It can also stop answering. */
const harness = useHarness({
  ...embedding,
  embedder: { ...embedder, embed: (text, how) => silent ? Promise.resolve(null) : embedder.embed(text, how) },
});

const INVOICES = ["Invoices table", "Invoices endpoint", "Invoices page", "Invoices mailing"];
const LOGINS = ["Login lockout", "Login history", "Login throttling"];

async function makeTasks(project: TestProject, ticket: TestTicket, titles: string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const title of titles) {
    const { body } = await harness.now.call("POST", `${ticket.path}/tasks`, {
      token: project.admin.token,
      body: { title, role: "backend" },
    });
    ids.push(body.id);
  }
  return ids;
}

async function makeMixed() {
  const project = await makeProject(harness.now);
  const ticket = await makeTicket(harness.now, project, { priority: "high" });
  const [first, ...rest] = INVOICES;
  const [invoice] = await makeTasks(project, ticket, [first!]);
  const logins = await makeTasks(project, ticket, LOGINS);
  await makeTasks(project, ticket, rest);
  await analyze(harness.now);
  return { project, ticket, invoice: invoice!, logins };
}

function tasksOf(project: TestProject, ticketId: string) {
  return harness.now.call("GET", `${project.path}/tickets/${ticketId}/tasks`, { token: project.admin.token });
}

function lock(taskId: string) {
  return (tx: TransactionSql) => tx`select from tasks where id = ${taskId}::uuid for update`;
}

function claim(project: TestProject, ticket: TestTicket, taskId: string) {
  return harness.now.call("POST", `${ticket.path}/tasks/${taskId}/claim`, { token: project.admin.token });
}

describe("a ticket with tasks of two subjects", () => {
  test("is suggested to be split; accepting moves the smaller group to a ticket of its own, undo brings all back", async () => {
    const { project, ticket, logins } = await makeMixed();
    const [split] = await list(harness.now, project, "kind=split");
    expect(split).toMatchObject({
      ticket_id: ticket.id,
      title: `Split ${ticket.ref} into 2 tickets`,
      evidence: { parts: [{ title: expect.stringMatching(/^Login/) }] },
    });
    expect(split!.evidence.parts[0].task_ids.toSorted()).toEqual(logins.toSorted());
    const before = await stateOf(harness.now, ticket.id);

    const accepted = await decide(harness.now, project, split!, "accept");
    expect(accepted.status).toBe(200);
    const stays = await tasksOf(project, ticket.id);
    expect(stays.body.tasks.map((task: { title: string; sequence: number }) => [task.sequence, task.title]))
      .toEqual(INVOICES.map((title, index) => [index + 1, title]));
    const { body } = await harness.now.call("GET", `${project.path}/tickets`, { token: project.admin.token });
    const part = body.tickets[0];
    expect(part).toMatchObject({ priority: "high", roles: [{ role: "backend", status: "pending" }] });
    expect(part.title).toMatch(new RegExp(`^Split from ${ticket.ref}: Login`));
    // A key that may not read tasks reads the description.
    const whole = await harness.now.call("GET", `${project.path}/tickets/${part.id}`, {
      token: project.admin.token,
    });
    expect(whole.body.description).toMatch(
      new RegExp(`^Split from ${ticket.ref} “.*”: \\d+ tasks moved here\\.$`),
    );
    const moved = await tasksOf(project, part.id);
    expect(moved.body.tasks.map(({ id }: { id: string }) => id)).toEqual(logins);
    expect(accepted.body.evidence.parts).toEqual([
      { ...split!.evidence.parts[0], ticket_id: part.id, ticket_ref: part.ticket_ref },
    ]);
    expect(await list(harness.now, project, "status=accepted")).toEqual([accepted.body]);

    const history = await harness.now.sql`
      select ticket_id, action, count(*) from history_entries where entity = 'task' and entity_id = any (${logins})
      group by ticket_id, action order by action, ticket_id`;
    expect(history).toEqual(expect.arrayContaining([
      { ticket_id: ticket.id, action: "deleted", count: 3 },
      { ticket_id: part.id, action: "created", count: 3 },
    ]));

    await decide(harness.now, project, split!, "undo");
    expect(await stateOf(harness.now, ticket.id)).toEqual(before);
    expect(await stateOf(harness.now, part.id)).toMatchObject({
      status: "closed",
      resolution_type: "cancelled",
      tasks: null,
    });
    expect(await list(harness.now, project, "kind=split&status=all")).toEqual([split]);
  });

  test("names the new ticket by a title as long as titles can be", async () => {
    const project = await makeProject(harness.now);
    const ticket = await makeTicket(harness.now, project);
    await makeTasks(project, ticket, INVOICES);
    await makeTasks(project, ticket, LOGINS.map((title) => title.padEnd(200, "!")));
    await analyze(harness.now);
    const [split] = await list(harness.now, project, "kind=split");
    expect((await decide(harness.now, project, split!, "accept")).status).toBe(200);
    const { body } = await harness.now.call("GET", `${project.path}/tickets`, { token: project.admin.token });
    expect(body.tickets[0].title).toMatch(new RegExp(`^Split from ${ticket.ref}: Login.*…$`));
    expect(body.tickets[0].title).toHaveLength(140);
  });

  test("is undone beside heartbeats, and keeps what they extended", async () => {
    const { project, ticket } = await makeMixed();
    const [split] = await list(harness.now, project, "kind=split");
    const last = (await tasksOf(project, ticket.id)).body.tasks.at(-1).id;
    const { token } = await makeKey(harness.now, project.admin);
    const claimed = await harness.now.call("POST", `${ticket.path}/tasks/${last}/claim`, { token });
    await decide(harness.now, project, split!, "accept");
    const extended = await harness.now.call("POST", `${ticket.path}/tasks/${last}/heartbeat`, { token });
    const { lease_expires_at } = extended.body;
    expect(Date.parse(lease_expires_at)).toBeGreaterThan(Date.parse(claimed.body.lease_expires_at));
    expect((await decide(harness.now, project, split!, "undo")).status).toBe(200);
    expect((await tasksOf(project, ticket.id)).body.tasks.at(-1)).toMatchObject({
      id: last,
      lease_expires_at,
    });
  });

  test("tells in its history of what went and came back, and of those that stayed only where they stood", async () => {
    const { project, ticket, invoice, logins } = await makeMixed();
    const [split] = await list(harness.now, project, "kind=split");
    const stays = (await tasksOf(project, ticket.id)).body.tasks.at(-1).id;
    await decide(harness.now, project, split!, "accept");
    await decide(harness.now, project, split!, "undo");
    const history = async (taskId: string) => {
      const rows = await harness.now.sql<{ action: string; field: string | null }[]>`
        select action, field from history_entries
        where entity = 'task' and entity_id = ${taskId} and ticket_id = ${ticket.id}::uuid order by id`;
      return rows.map(({ action, field }) => field ?? action);
    };
    expect(await history(invoice)).toEqual(["created"]);
    expect(await history(stays)).toEqual(["created", "sequence", "sequence"]);
    expect(await history(logins[0]!)).toEqual(["created", "deleted", "created"]);
  });

  test("keeps a claim that comes in while it is split", async () => {
    const { project, ticket, logins } = await makeMixed();
    const [split] = await list(harness.now, project, "kind=split");
    const last = (await tasksOf(project, ticket.id)).body.tasks.at(-1).id;
    const { waited, passed } = await besideLock(harness.now, lock(logins[0]!), {
      waits: () => decide(harness.now, project, split!, "accept"),
      passes: () => claim(project, ticket, last),
    });
    expect([passed.status, waited.status]).toEqual([200, 200]);
    expect((await decide(harness.now, project, split!, "undo")).status).toBe(200);
    const { assignee_session_id, lease_expires_at } = passed.body;
    expect((await tasksOf(project, ticket.id)).body.tasks.at(-1)).toMatchObject({
      id: last,
      status: "in_progress",
      assignee_session_id,
      lease_expires_at,
    });
  });

  test("stays split for a claim that comes in while that is undone", async () => {
    const { project, ticket, invoice } = await makeMixed();
    const [split] = await list(harness.now, project, "kind=split");
    await decide(harness.now, project, split!, "accept");
    const last = (await tasksOf(project, ticket.id)).body.tasks.at(-1).id;
    const { waited, passed } = await besideLock(harness.now, lock(invoice), {
      waits: () => decide(harness.now, project, split!, "undo"),
      passes: () => claim(project, ticket, last),
    });
    expect([passed.status, waited.status, waited.body.code]).toEqual([200, 409, "conflict"]);
    expect((await tasksOf(project, ticket.id)).body.tasks.at(-1)).toEqual(passed.body);
  });

  test("frees a task whose assignee loses the right to write while the task moves", async () => {
    const { project, ticket, logins } = await makeMixed();
    const leaver = await makeMember(harness.now, project, "member");
    await harness.now.call("PATCH", `${ticket.path}/tasks/${logins[0]}`, {
      token: project.admin.token,
      body: { assignee_user_id: leaver.id },
    });
    const [split] = await list(harness.now, project, "kind=split");
    await behindLock<unknown>(
      harness.now,
      (tx) => tx`select from users where id = ${leaver.id}::uuid for update`,
      () =>
        harness.now.call("DELETE", `${project.path}/members/${leaver.id}`, { token: project.admin.token }),
      () => decide(harness.now, project, split!, "accept"),
    );
    const [task] = await harness.now.sql`
      select assignee_user_id, ticket_id = ${ticket.id}::uuid as stayed from tasks where id = ${logins[
      0
    ]!}::uuid`;
    expect(task).toEqual({ assignee_user_id: null, stayed: false });
  });

  test("gives tasks away and gets them back as new versions, for which no former ETag passes, but for what never changed", async () => {
    const { project, invoice } = await makeMixed();
    const [split] = await list(harness.now, project, "kind=split");
    const versions = async () => {
      const { token } = project.admin;
      const { tasks } = (await harness.now.call("GET", `${project.path}/tasks`, { token })).body;
      return new Map<string, number>(
        tasks.map(({ id, version }: { id: string; version: number }) => [id, version]),
      );
    };
    const before = await versions();
    await decide(harness.now, project, split!, "accept");
    const between = await versions();
    await decide(harness.now, project, split!, "undo");
    const after = await versions();
    expect([after.get(invoice), after.size]).toEqual([before.get(invoice), before.size]);
    for (const [id, version] of after) {
      if (id === invoice) continue;
      expect(between.get(id)).toBeGreaterThan(before.get(id)!);
      expect(version).toBeGreaterThan(between.get(id)!);
    }
  });

  test("is not taken apart where one task depends on the other subject, or is begun", async () => {
    const { project, ticket, invoice, logins } = await makeMixed();
    const patch = (task: string, body: Record<string, unknown>) =>
      harness.now.call("PATCH", `${ticket.path}/tasks/${task}`, { token: project.admin.token, body });
    await patch(logins[0]!, { depends_on_task_ids: [invoice] });
    await analyze(harness.now);
    expect(await list(harness.now, project, "kind=split")).toEqual([]);
    await patch(logins[0]!, { depends_on_task_ids: [] });
    await analyze(harness.now);
    expect(await list(harness.now, project, "kind=split")).toHaveLength(1);
    await patch(logins[1]!, { status: "in_progress" });
    await analyze(harness.now);
    expect(await list(harness.now, project, "kind=split")).toEqual([]);
  });

  test("is not suggested to be split again after a no because its tasks stand in another order", async () => {
    const project = await makeProject(harness.now);
    const ticket = await makeTicket(harness.now, project);
    const invoices = await makeTasks(project, ticket, INVOICES.slice(0, 3));
    const logins = await makeTasks(project, ticket, LOGINS);
    await analyze(harness.now);
    const [split] = await list(harness.now, project, "kind=split");
    await decide(harness.now, project, split!, "dismiss");
    const { status } = await harness.now.call("POST", `${ticket.path}/tasks/reorder`, {
      token: project.admin.token,
      body: { task_ids: [...logins, ...invoices] },
    });
    expect(status).toBe(200);
    await analyze(harness.now);
    expect(await list(harness.now, project, "kind=split")).toEqual([]);
  });

  test("keeps the suggestion while the model gives no answer: nothing is known then", async () => {
    const { project, ticket } = await makeMixed();
    const before = await list(harness.now, project, "kind=split");
    await harness.now.call("PATCH", ticket.path, { token: project.admin.token, body: { priority: "low" } });
    silent = true;
    await analyze(harness.now);
    silent = false;
    expect(before).toHaveLength(1);
    expect(await list(harness.now, project, "kind=split&status=all")).toEqual(before);
  });

  test("refuses a split whose tasks have changed, and an undo of one in which work has begun", async () => {
    const { project, ticket, logins } = await makeMixed();
    const [split] = await list(harness.now, project, "kind=split");
    const token = project.admin.token;
    const first = `${ticket.path}/tasks/${logins[0]}`;
    await harness.now.call("PATCH", first, { token, body: { status: "in_progress" } });
    const before = await stateOf(harness.now, ticket.id);
    expect((await decide(harness.now, project, split!, "accept")).body.code).toBe("conflict");
    expect(await stateOf(harness.now, ticket.id)).toEqual(before);
    await harness.now.call("PATCH", first, { token, body: { status: "pending" } });
    await decide(harness.now, project, split!, "accept");
    const { body } = await harness.now.call("GET", `${project.path}/tickets`, { token });
    const moved = `${project.path}/tickets/${body.tickets[0].id}/tasks/${logins[0]}`;
    await harness.now.call("PATCH", moved, { token, body: { title: "Login lockout after ten attempts" } });
    expect((await decide(harness.now, project, split!, "undo")).body.code).toBe("conflict");
  });

  test("leaves no task waiting for one of another ticket", async () => {
    const { project, ticket, invoice, logins } = await makeMixed();
    const [split] = await list(harness.now, project, "kind=split");
    const token = project.admin.token;
    const patch = (task: string, depends_on_task_ids: string[]) =>
      harness.now.call("PATCH", `${ticket.path}/tasks/${task}`, { token, body: { depends_on_task_ids } });
    const stays = (await tasksOf(project, ticket.id)).body.tasks.at(-1).id;
    await patch(invoice, [logins[2]!, stays]);
    await patch(logins[0]!, [stays, logins[1]!]);
    const before = await stateOf(harness.now, ticket.id);
    await decide(harness.now, project, split!, "accept");
    const { body } = await harness.now.call("GET", `${project.path}/tickets`, { token });
    const dependencies = async (ticketId: string, task: string) =>
      (await harness.now.call("GET", `${project.path}/tickets/${ticketId}/tasks/${task}`, { token })).body
        .depends_on_task_ids;
    expect(await dependencies(ticket.id, invoice)).toEqual([stays]);
    expect(await dependencies(body.tickets[0].id, logins[0]!)).toEqual([logins[1]]);
    await decide(harness.now, project, split!, "undo");
    expect(await stateOf(harness.now, ticket.id)).toEqual(before);
  });

  test("is no duplicate of what was split from it, however alike they are", async () => {
    const { project, ticket } = await makeMixed();
    const [split] = await list(harness.now, project, "kind=split");
    const { body } = await decide(harness.now, project, split!, "accept");
    const [part] = body.evidence.parts;
    const { body: { title, description } } = await harness.now.call(
      "GET",
      `${project.path}/tickets/${part.ticket_id}`,
      { token: project.admin.token },
    );
    await harness.now.call("PATCH", ticket.path, {
      token: project.admin.token,
      body: { title, description },
    });
    await harness.now.work("embed-ticket");
    await analyze(harness.now);
    expect(await list(harness.now, project, "kind=duplicate")).toEqual([]);
  });

  test("stays split once the ticket is closed", async () => {
    const { project, ticket } = await makeMixed();
    const [split] = await list(harness.now, project, "kind=split");
    await decide(harness.now, project, split!, "accept");
    const token = project.admin.token;
    await harness.now.call("PATCH", ticket.path, { token, body: { status: "closed" } });
    const before = await stateOf(harness.now, ticket.id);
    const refused = await decide(harness.now, project, split!, "undo");
    expect([refused.body.code, refused.body.error]).toEqual([
      "conflict",
      `Cannot undo the split of ticket ${ticket.ref}: it is closed; move it back to a stage first`,
    ]);
    expect(await stateOf(harness.now, ticket.id)).toEqual(before);
    await harness.now.call("PATCH", ticket.path, { token, body: { stage: "backlog" } });
    expect((await decide(harness.now, project, split!, "undo")).status).toBe(200);
  });

  test("gives the new ticket the roles that are enabled now, no matter what its process remembers", async () => {
    const { project } = await makeMixed();
    const [split] = await list(harness.now, project, "kind=split");
    const { sql } = harness.now;
    // Another process disables the role, and this one doesn't know it yet.
    await sql`update accounts set disabled_roles = '{backend}' where id = ${project.accountId}::uuid`;
    expect((await decide(harness.now, project, split!, "accept")).status).toBe(200);
    const { body } = await harness.now.call("GET", `${project.path}/tickets`, { token: project.admin.token });
    expect(body.tickets[0]).toMatchObject({
      title: expect.stringMatching(/^Split from .*: Login/),
      roles: [],
    });
  });

  test("keeps the roles of its new ticket enabled until that one is there", async () => {
    const { project } = await makeMixed();
    const [split] = await list(harness.now, project, "kind=split");
    const body = { roles: [{ role: "backend", enabled: false }] };
    const answers = await behindLock(
      harness.now,
      (tx) => tx`select from projects where id = ${project.id}::uuid for update`,
      () => decide(harness.now, project, split!, "accept"),
      () => harness.now.call("PUT", "/settings/roles", { token: project.admin.token, body }),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  });

  test("is not split by a bot client whose new ticket would get no role", async () => {
    const { project, ticket } = await makeMixed();
    const [split] = await list(harness.now, project, "kind=split");
    const token = project.admin.token;
    await harness.now.call("PUT", "/settings/roles", {
      token,
      body: { roles: [{ role: "backend", enabled: false }] },
    });
    const key = await makeKey(harness.now, project.admin);
    const refused = await harness.now.call("POST", `${project.path}/ai-suggestions/${split!.id}/accept`, {
      token: key.token,
    });
    expect([refused.status, refused.body.code, refused.body.error]).toEqual([
      409,
      "conflict",
      `Cannot split ticket ${ticket.ref}: a bot client must give the new ticket a role, and those of its tasks are disabled`,
    ]);
    expect((await decide(harness.now, project, split!, "accept")).status).toBe(200);
  });

  test("makes a new ticket also when the call itself brings the key of an old one", async () => {
    const { project, ticket, logins } = await makeMixed();
    const old = await makeTicket(harness.now, project, { idempotency_key: "once" });
    const [split] = await list(harness.now, project, "kind=split");
    const accepted = await harness.now.call("POST", `${project.path}/ai-suggestions/${split!.id}/accept`, {
      token: project.admin.token,
      headers: { "Idempotency-Key": "once" },
    });
    expect(accepted.status).toBe(200);
    expect((await tasksOf(project, old.id)).body.tasks).toEqual([]);
    const { body } = await harness.now.call("GET", `${project.path}/tickets`, { token: project.admin.token });
    expect(body.tickets).toHaveLength(3);
    const part = body.tickets.find(({ id }: { id: string }) => id !== old.id && id !== ticket.id);
    expect((await tasksOf(project, part.id)).body.tasks).toHaveLength(logins.length);
  });
});
