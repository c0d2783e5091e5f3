import superjson from "superjson";
import { describe, expect, test } from "vitest";
import { v7 as uuid } from "uuid";
import {
  makeKey,
  makeMember,
  makeProject,
  makeTicket,
  makeUser,
  type TestProject,
  ticketInput,
} from "../factories.ts";
import { makeMerged, newSha } from "../deploys/_setup.ts";
import { type Harness, openHarness, useHarness } from "../harness.ts";

const harness = useHarness();

function post(service: Harness, project: TestProject, path: string, body: Record<string, unknown> = {}) {
  return service.call("POST", path, { token: project.admin.token, body });
}

const PENDING = { role: "qa", status: "pending" };

/** Three tickets with all that a ticket can have; the second is closed as a duplicate of the third. */
async function makeFull(service: Harness): Promise<TestProject> {
  const project = await makeProject(service);
  const token = project.admin.token;
  const first = await makeTicket(service, project, {
    roles: ["qa"],
    evidence: { logs: ["a", null] },
    idempotency_key: "once",
  });
  const one = await post(service, project, `${first.path}/tasks`, {
    title: "First",
    role: "qa",
    acceptance_criteria: [{ text: "It works", done: false }],
  });
  await post(service, project, `${first.path}/tasks`, {
    title: "Then",
    role: "qa",
    depends_on_task_ids: [one.body.id],
  });
  await post(service, project, `${first.path}/tasks/${one.body.id}/claim`);
  const made = await post(service, project, `${first.path}/test-cases`, {
    title: "Try it",
    instruction: "Open it.",
  });
  await post(service, project, `${first.path}/test-cases/${made.body.id}/approve`);
  const second = await makeTicket(service, project);
  const third = await makeTicket(service, project);
  await service.call("PATCH", second.path, {
    token,
    body: { status: "closed", resolution_type: "duplicate" },
  });
  await service.sql.begin(async (tx) => {
    await tx`select set_config('handoff.actor', '{"kind":"job","id":"test"}', true)`;
    await tx`
      insert into ticket_duplicates (ticket_id, project_id, duplicate_of)
      values (${second.id}::uuid, ${project.id}::uuid, ${third.id}::uuid)`;
  });
  return project;
}

async function exportAll(service: Harness, project: TestProject, limit = 2) {
  const records = [];
  let cursor = "";
  do {
    const query = `limit=${limit}${cursor && `&cursor=${cursor}`}`;
    const { status, body } = await service.call("GET", `${project.path}/export?${query}`, {
      token: project.admin.token,
    });
    expect(status).toBe(200);
    records.push(...body.records);
    cursor = body.next_cursor ?? "";
  } while (cursor);
  return records;
}

/** What comes back from an import: not the history, not who isn't known there, not the claim. */
function comparable(records: Record<string, unknown>[]) {
  return records.map(({ history: _, created_by: __, ...record }) => ({
    ...record,
    tasks: (record.tasks as Record<string, unknown>[]).map((task) => ({ ...task, assignee: null })),
    test_cases: (record.test_cases as Record<string, unknown>[]).map((one) => ({ ...one, decided_by: null })),
  }));
}

describe("an export", () => {
  test("imported elsewhere gives the same tickets; imported again it changes nothing", async () => {
    const project = await makeFull(harness.now);
    const records = await exportAll(harness.now, project);
    expect(records.map(({ number }) => number)).toEqual([1, 2, 3]);
    expect(records[0]).toMatchObject({
      created_by: project.admin.email,
      test_cases: [{ decided_by: project.admin.email }],
    });
    expect(records[0].history.length).toBeGreaterThan(5);
    const other = await openHarness();
    try {
      const target = await makeProject(other);
      const send = () => post(other, target, `${target.path}/import`, { records });
      expect((await send()).body).toEqual({ imported: 3, existing: 0 });
      const arrived = await exportAll(other, target, 100);
      expect(comparable(arrived)).toEqual(comparable(records));
      expect(arrived[0].history[0].actor).toMatchObject({ kind: "user", id: target.admin.id });
      expect((await send()).body).toEqual({ imported: 0, existing: 3 });
      expect(await exportAll(other, target)).toEqual(arrived);
      const next = await makeTicket(other, target);
      expect(next.ref).toBe(`${target.key}-4`);
      const replay = await post(
        other,
        target,
        `${target.path}/tickets`,
        ticketInput({ idempotency_key: "once" }),
      );
      expect(replay.body).toMatchObject({ _idempotent_replay: true, ticket: { id: records[0].id } });
    } finally {
      await other.close();
    }
  });

  test("brings along that a merged ticket was reopened: it doesn't close by itself", async () => {
    const project = await makeProject(harness.now);
    const ticket = await makeMerged(harness.now, project, newSha());
    for (const stage of ["live", "validation"]) {
      await harness.now.call("PATCH", ticket.path, { token: project.admin.token, body: { stage } });
    }
    const records = await exportAll(harness.now, project);
    expect(records).toMatchObject([{ reopened: true }]);
    const other = await openHarness();
    try {
      const target = await makeProject(other);
      const { reopened: _, ...earlier } = {
        ...records[0],
        id: uuid(),
        number: 2,
      };
      await post(other, target, `${target.path}/import`, { records: [records[0], earlier] });
      await other.services.queue.enqueue(other.sql, "sweep-merged-tickets", {});
      await other.work("sweep-merged-tickets");
      const stages = (await exportAll(other, target)).map(({ stage }) => stage);
      expect(stages).toEqual(["validation", "live"]);
    } finally {
      await other.close();
    }
  });

  test("is read by admins of the project only", async () => {
    const project = await makeProject(harness.now);
    const stranger = await makeUser(harness.now, { role: "admin" });
    const member = await makeMember(harness.now, project, "member");
    for (const { token } of [stranger, member]) {
      const { status, body } = await harness.now.call("GET", `${project.path}/export`, { token });
      expect([status, body.code]).toEqual([403, "forbidden"]);
    }
    const manager = await makeMember(harness.now, project, "admin");
    expect((await harness.now.call("GET", `${project.path}/export`, { token: manager.token })).status).toBe(
      200,
    );
  });
});

test("an archived project is still exported, but takes no import, also when it was archived a moment ago", async () => {
  const project = await makeFull(harness.now);
  const target = await makeProject(harness.now);
  for (const { path, admin } of [project, target]) {
    await harness.now.call("GET", path, { token: admin.token });
    // By another process, of which this one hears in a few seconds.
    await harness.now.sql`update projects set archived_at = now() where id = ${path.split("/").at(
      -1,
    )!}::uuid`;
  }
  const records = await exportAll(harness.now, project);
  expect(records).toHaveLength(3);
  const { status, body } = await post(harness.now, target, `${target.path}/import`, { records });
  expect([status, body.error]).toEqual([403, expect.stringContaining("archived")]);
});

test("a ticket as large as tickets can be goes out and comes in, by either door", async () => {
  const project = await makeProject(harness.now);
  const { path } = await makeTicket(harness.now, project);
  const body = { title: "A long task", role: "qa", body: "ä".repeat(10_000) };
  for (let count = 0; count < 60; count++) await post(harness.now, project, `${path}/tasks`, body);
  const [record] = await exportAll(harness.now, project);
  record.tasks = Array.from({ length: 500 }, (_, index) => ({
    ...record.tasks[index % 60],
    id: uuid(),
    sequence: index + 1,
  }));
  const renewed = () => ({
    ...record,
    id: uuid(),
    number: record.number + 1,
    tasks: record.tasks.map((task: object) => ({ ...task, id: uuid() })),
  });
  for (const door of ["REST", "tRPC"]) {
    const target = await makeProject(harness.now);
    const records = [renewed()];
    const { status } = door === "REST"
      ? await post(harness.now, target, `${target.path}/import`, { records })
      : await harness.now.request("POST", "/trpc/transfers.import", {
        token: target.admin.token,
        body: superjson.serialize({ id: target.id, records }),
      });
    expect(status, door).toBe(200);
    expect(await exportAll(harness.now, target)).toMatchObject([{ tasks: { length: 500 } }]);
  }
});

describe("an import", () => {
  test("of what is here already leaves the numbers as they are; what is new stands in the audit list", async () => {
    const project = await makeFull(harness.now);
    const records = await exportAll(harness.now, project);
    const again = records.map((record) => ({ ...record, number: 500_000 + record.number }));
    const sent = await post(harness.now, project, `${project.path}/import`, { records: again });
    expect(sent.body).toEqual({ imported: 0, existing: 3 });
    expect((await makeTicket(harness.now, project)).ref).toBe(`${project.key}-4`);
    const anew = { ...records[1], id: uuid(), number: 50, creation: null, duplicate_of: null };
    await post(harness.now, project, `${project.path}/import`, { records: [anew] });
    const audit = await harness.now.sql`
      select actor ->> 'id' as actor_id, details from audit_log where target_id = ${project.id} and action = 'project.imported'`;
    expect(audit).toEqual([{ actor_id: project.admin.id, details: { tickets: 1 } }]);
  });

  test("takes no approvals from bots", async () => {
    const project = await makeFull(harness.now);
    const records = await exportAll(harness.now, project);
    const key = await makeKey(harness.now, project.admin, { scopes: ["admin"] });
    const { status, body } = await harness.now.call("POST", `${project.path}/import`, {
      token: key.token,
      body: { records },
    });
    expect([status, body.code]).toEqual([403, "forbidden"]);
  });

  test("refuses a ticket that stands for itself", async () => {
    const project = await makeFull(harness.now);
    const [record] = await exportAll(harness.now, project);
    const records = [{ ...record, duplicate_of: record.id }];
    const { status, body } = await post(harness.now, project, `${project.path}/import`, { records });
    expect([status, Object.keys(body.fieldErrors)]).toEqual([400, ["records.0.duplicate_of"]]);
  });

  test("is all or nothing: a number that is taken, an id of another project", async () => {
    const project = await makeFull(harness.now);
    const records = await exportAll(harness.now, project);
    const target = await makeProject(harness.now);
    await makeTicket(harness.now, target);
    const anew = records.slice(1).map((record) => ({
      ...record,
      id: uuid(),
      creation: null,
      duplicate_of: null,
    }));
    const taken = await post(harness.now, target, `${target.path}/import`, {
      records: [...anew, { ...anew[0], id: uuid(), number: 1 }],
    });
    expect([taken.status, taken.body.code]).toEqual([409, "conflict"]);
    const foreign = await post(harness.now, target, `${target.path}/import`, {
      records: [{ ...records[1], number: 9 }],
    });
    expect(foreign.status).toBe(409);
    expect(await exportAll(harness.now, target)).toHaveLength(1);
  });

  test.each([
    [
      "an open ticket with a time of closing",
      { closed_at: "2026-01-01T00:00:00.000Z" },
      "records.0.closed_at",
    ],
    ["an unknown stage", { stage: "someday" }, "records.0.stage"],
    ["an unknown field", { colour: "red" }, "records.0.colour"],
    ["a short title", { title: "Hi" }, "records.0.title"],
    ["a role that comes twice", { roles: [PENDING, PENDING] }, "records.0.roles"],
    [
      "an address with a NUL",
      {
        issue: {
          repo_full_name: "acme/one",
          issue_number: 1,
          issue_url: "https://example.test/\0",
          title: null,
          state: null,
        },
      },
      "records.0.issue.issue_url",
    ],
  ])("refuses %s by its path", async (_, fields, path) => {
    const project = await makeProject(harness.now);
    await makeTicket(harness.now, project);
    const [record] = await exportAll(harness.now, project);
    const records = [{ ...record, id: uuid(), number: 7, ...fields }];
    const { status, body } = await post(harness.now, project, `${project.path}/import`, { records });
    expect([status, Object.keys(body.fieldErrors)]).toEqual([400, [path]]);
  });

  test("numbers tasks without gaps, and refuses those that depend on each other or on another ticket's", async () => {
    const project = await makeFull(harness.now);
    const [record] = await exportAll(harness.now, project);
    const [a, b] = [uuid(), uuid()];
    const send = (dependencies: [string[], string[]]) => {
      const tasks = [a, b].map((id, place) => ({
        ...record.tasks[place],
        id,
        sequence: [9, 5][place],
        depends_on_task_ids: dependencies[place],
      }));
      const copy = { ...record, id: uuid(), number: 70, tasks, test_cases: [], creation: null };
      return post(harness.now, project, `${project.path}/import`, { records: [copy] });
    };
    expect((await send([[b], [a]])).body.fieldErrors).toEqual({ "records.0.tasks": "Depend on each other" });
    expect(Object.keys((await send([[uuid()], []])).body.fieldErrors)).toEqual([
      "records.0.tasks.0.depends_on_task_ids.0",
    ]);
    expect((await send([[b], []])).body).toEqual({ imported: 1, existing: 0 });
    const arrived = (await exportAll(harness.now, project)).find(({ number }) => number === 70);
    expect(arrived.tasks.map(({ id, sequence }: { id: string; sequence: number }) => [id, sequence])).toEqual(
      [
        [b, 1],
        [a, 2],
      ],
    );
  });
});
