import { isDeepStrictEqual } from "node:util";
import { v7 as uuid } from "uuid";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventScope } from "../../src/core/event_types.ts";
import { PARTS } from "../../src/core/parts.ts";
import { publishedProcedures } from "../../src/http/procedures.ts";
import { makeKey, makeTicket, type TestProject, type TestTicket, ticketInput } from "../factories.ts";
import { type Answer } from "../harness.ts";
import { useHosting } from "../integrations/hosting.ts";

const hosting = useHosting();
let project: TestProject;
beforeAll(async () => {
  project = await hosting.now.project(1);
});
afterAll(() => expect(Object.keys(WRITES).filter((name) => !mutations.includes(name))).toEqual([]));

/** These writes of a project belong to no ticket. Every other one must leave history. */
const NOT_OF_TICKETS = [
  "watch.put",
  "watch.remove",
  "projects.update",
  "projects.archive",
  "projects.putMember",
  "projects.removeMember",
  "projects.putRepositories",
  "webhooks.create",
  "webhooks.update",
  "webhooks.delete",
  "webhooks.rotateSecret",
  "webhooks.test",
  "webhooks.redeliver",
  "webhooks.replay",
  "labels.create",
  "labels.update",
  "labels.merge",
  "labels.delete",
  "milestones.create",
  "milestones.update",
  "milestones.delete",
  "columns.create",
  "columns.update",
  "columns.reorder",
  "columns.delete",
  "suggestions.dismiss",
  "suggestions.analyze",
];

const mutations = publishedProcedures()
  .filter(({ type, meta }) => type === "mutation" && meta.path.startsWith("/projects/{id}"))
  .map(({ name }) => name)
  .filter((name) => !NOT_OF_TICKETS.includes(name));

/** A key that makes the calls for which it has the scopes, before the admin makes the others. */
let key: string | undefined;
/** Ids of the requests that the key was allowed. */
const byKey = new Set<string>();

async function call(method: string, path: string, body?: Record<string, unknown>): Promise<Answer> {
  const answer = await hosting.now.harness.call(method, path, { token: key ?? project.admin.token, body });
  if (key === undefined) return answer;
  if (answer.status === 403) {
    return await hosting.now.harness.call(method, path, { token: project.admin.token, body });
  }
  byKey.add(answer.headers.get("x-request-id")!);
  return answer;
}

async function done(answer: Promise<Answer>): Promise<Answer> {
  const { status, body, headers } = await answer;
  if (status >= 300) throw new Error(`${status} ${JSON.stringify(body)}`);
  return { status, body, headers };
}

/** A ticket with a role, a task and a test case. */
interface Stage {
  ticket: TestTicket;
  path: string;
  task: string;
  testCase: string;
}

async function prepare(): Promise<Stage> {
  const ticket = await makeTicket(hosting.now.harness, project, { roles: ["qa"] });
  const { path } = ticket;
  const task = (await done(call("POST", `${path}/tasks`, { title: "one", role: "qa" }))).body.id;
  const testCase =
    (await done(call("POST", `${path}/test-cases`, { title: "Try", instruction: "Look." }))).body.id;
  return { ticket, path, task, testCase };
}

async function insertSuggestion({ ticket }: Stage): Promise<string> {
  const id = uuid();
  await hosting.now.harness.sql`
    insert into suggestions (id, project_id, kind, ticket_id, title, rationale, confidence, evidence, fingerprint)
    values (${id}::uuid, ${project.id}::uuid, 'stale', ${ticket.id}::uuid, 'Old', 'Nobody came', 0.9,
      '{"proposal": "close", "stage": "backlog"}'::jsonb, ${id})`;
  return `${project.path}/ai-suggestions/${id}`;
}

async function acceptable(stage: Stage): Promise<string> {
  await done(call("POST", `${stage.path}/roles/qa/finish`));
  await done(call("POST", `${stage.path}/test-cases/${stage.testCase}/approve`, {}));
  return await insertSuggestion(stage);
}

async function comment(path: string): Promise<string> {
  return `${path}/comments/${(await done(call("POST", `${path}/comments`, { body: "Look" }))).body.id}`;
}

/** An agent asks a question that the ticket's task waits for. */
async function askOnTask({ path, task }: Stage) {
  const { token } = await makeKey(hosting.now.harness, project.admin);
  const body = { prompt: "Which?", task_id: task };
  await done(hosting.now.harness.call("POST", `${path}/questions`, { token, body }));
}

/** Relates the ticket to another one. */
async function other() {
  return { kind: "relates", ticket: (await makeTicket(hosting.now.harness, project)).id };
}

async function pending(path: string): Promise<string> {
  const { body } = await done(call("GET", `${path}/questions?status=pending`));
  return `${path}/questions/${body.questions[0].id}`;
}

const link = { issue_number: 12 };

// The assertions check the fields that they read.
// deno-lint-ignore no-explicit-any
async function exported(ticketId: string, cursor?: string): Promise<any> {
  const after = cursor ? `&cursor=${encodeURIComponent(cursor)}` : "";
  const { body } = await done(call("GET", `${project.path}/export?limit=100${after}`));
  return body.records.find(({ id }: { id: string }) => id === ticketId) ??
    await exported(ticketId, body.next_cursor);
}

/**
 * The ticket as another installation would export it: under other ids, with a history that others
 * wrote there.
 */
async function fromElsewhere({ ticket }: Stage) {
  const record = await exported(ticket.id);
  const anew = (parts: object[]) => parts.map((part) => ({ ...part, id: uuid() }));
  return {
    ...record,
    id: uuid(),
    number: record.number + 100_000,
    stage: "live",
    closed_at: record.updated_at,
    resolution_type: "duplicate",
    duplicate_of: ticket.id,
    tasks: anew(record.tasks),
    test_cases: anew(record.test_cases),
    history: record.history.map((row: object) => ({
      ...row,
      actor: { kind: "user", id: uuid(), name: "Someone else" },
      request_id: "elsewhere",
      note: "what no database\0holds",
    })),
  };
}

function importing(record: object): Promise<Answer> {
  return call("POST", `${project.path}/import`, { records: [record] });
}

/** Starts the task for the admin without a claim, so that the admin's key may act on it too. */
function start({ path, task }: Stage) {
  const body = { status: "in_progress", assignee_user_id: project.admin.id };
  return done(call("PATCH", `${path}/tasks/${task}`, body));
}

/** For each procedure: what goes before it, if anything, and the call itself. */
const WRITES: Record<
  string,
  { before?: (stage: Stage) => Promise<unknown>; write: (stage: Stage) => Promise<Answer> }
> = {
  "tickets.create": { write: () => call("POST", `${project.path}/tickets`, ticketInput({ roles: ["qa"] })) },
  "tickets.update": { write: ({ path }) => call("PATCH", path, { stage: "validation" }) },
  "tickets.bulk": {
    write: ({ ticket }) =>
      call("POST", `${project.path}/tickets/bulk`, {
        action: "move",
        ticket_ids: [ticket.id],
        stage: "up_next",
      }),
  },
  "tickets.place": {
    write: async ({ path }) =>
      await call("POST", `${path}/place`, { before: (await makeTicket(hosting.now.harness, project)).ref }),
  },
  "tickets.startRole": { write: ({ path }) => call("POST", `${path}/roles/qa/start`) },
  "tickets.finishRole": { write: ({ path }) => call("POST", `${path}/roles/qa/finish`) },
  "tickets.skipRole": { write: ({ path }) => call("POST", `${path}/roles/qa/skip`) },
  "tickets.reopenRole": {
    before: ({ path }) => done(call("POST", `${path}/roles/qa/finish`)),
    write: ({ path }) => call("POST", `${path}/roles/qa/reopen`),
  },
  "tasks.create": { write: ({ path }) => call("POST", `${path}/tasks`, { title: "two", role: "qa" }) },
  "tasks.createMany": {
    write: ({ path }) => call("POST", `${path}/tasks/batch`, { tasks: [{ title: "two", role: "qa" }] }),
  },
  "tasks.update": { write: ({ path, task }) => call("PATCH", `${path}/tasks/${task}`, { title: "first" }) },
  "tasks.delete": {
    before: ({ path }) => done(call("POST", `${path}/tasks`, { title: "two", role: "qa" })),
    write: ({ path, task }) => call("DELETE", `${path}/tasks/${task}`),
  },
  "tasks.reorder": {
    before: ({ path }) => done(call("POST", `${path}/tasks`, { title: "two", role: "qa" })),
    async write({ path, task }) {
      const { body } = await call("GET", `${path}/tasks`);
      const second = body.tasks.find(({ id }: { id: string }) => id !== task);
      return await call("POST", `${path}/tasks/reorder`, { task_ids: [second.id, task] });
    },
  },
  "tasks.claim": { write: ({ path, task }) => call("POST", `${path}/tasks/${task}/claim`) },
  "tasks.release": {
    before: start,
    write: ({ path, task }) => call("POST", `${path}/tasks/${task}/release`),
  },
  "tasks.claimNext": {
    write: ({ ticket }) => call("POST", `${project.path}/tasks/claim`, { ticket_id: ticket.id }),
  },
  "tasks.takeOver": {
    before: ({ path, task }) => done(call("PATCH", `${path}/tasks/${task}`, { status: "in_progress" })),
    write: ({ path, task }) => call("POST", `${path}/tasks/${task}/take-over`),
  },
  "testCases.create": {
    write: ({ path }) => call("POST", `${path}/test-cases`, { title: "Try", instruction: "Look." }),
  },
  "testCases.update": {
    write: ({ path, testCase }) => call("PATCH", `${path}/test-cases/${testCase}`, { title: "Try again" }),
  },
  "testCases.delete": { write: ({ path, testCase }) => call("DELETE", `${path}/test-cases/${testCase}`) },
  "testCases.approve": {
    write: ({ path, testCase }) => call("POST", `${path}/test-cases/${testCase}/approve`),
  },
  "testCases.reject": {
    write: ({ path, testCase }) => call("POST", `${path}/test-cases/${testCase}/reject`),
  },
  "comments.create": { write: ({ path }) => call("POST", `${path}/comments`, { body: "Look" }) },
  "comments.update": {
    write: async ({ path }) => await call("PATCH", await comment(path), { body: "Look again" }),
  },
  "comments.delete": { write: async ({ path }) => await call("DELETE", await comment(path)) },
  "comments.resolve": { write: async ({ path }) => await call("POST", `${await comment(path)}/resolve`) },
  "comments.reopen": {
    write: async ({ path }) => {
      const thread = await comment(path);
      await done(call("POST", `${thread}/resolve`));
      return await call("POST", `${thread}/reopen`);
    },
  },
  "questions.create": { write: ({ path }) => call("POST", `${path}/questions`, { prompt: "Which?" }) },
  "questions.answer": {
    before: askOnTask,
    write: async ({ path }) => await call("POST", `${await pending(path)}/answer`, { text: "This" }),
  },
  "questions.withdraw": {
    before: askOnTask,
    write: async ({ path }) => await call("POST", `${await pending(path)}/withdraw`, {}),
  },
  "questions.supersede": {
    before: askOnTask,
    write: async ({ path }) => await call("POST", `${await pending(path)}/supersede`, { prompt: "Or?" }),
  },
  "links.create": {
    write: async ({ path }) => await call("POST", `${path}/links`, await other()),
  },
  "links.delete": {
    write: async ({ path }) => {
      const { body } = await done(call("POST", `${path}/links`, await other()));
      return await call("DELETE", `${path}/links/${body.id}`);
    },
  },
  "agents.register": {
    write: ({ path }) => call("POST", `${path}/agent-runs`, { agent_id: `bc_${uuid()}` }),
  },
  "agents.end": {
    write: async ({ path }) => {
      const { body } = await done(call("POST", `${path}/agent-runs`, { agent_id: `bc_${uuid()}` }));
      return await call("POST", `${path}/agent-runs/${body.id}/end`, {});
    },
  },
  "integrations.linkIssue": { write: ({ path }) => call("PUT", `${path}/github-issue`, link) },
  "integrations.createIssue": { write: ({ path }) => call("POST", `${path}/github-issue`, {}) },
  "integrations.unlinkIssue": {
    before: ({ path }) => done(call("PUT", `${path}/github-issue`, link)),
    write: ({ path }) => call("DELETE", `${path}/github-issue`),
  },
  "suggestions.accept": { write: async (stage) => await call("POST", `${await acceptable(stage)}/accept`) },
  "suggestions.undo": {
    write: async (stage) => {
      const suggestion = await acceptable(stage);
      await done(call("POST", `${suggestion}/accept`));
      return await call("POST", `${suggestion}/undo`);
    },
  },
  "transfers.import": { write: async (stage) => await importing(await fromElsewhere(stage)) },
};

/** These calls write no history on purpose, because a lease is no fact about the task. */
const SILENT = ["tasks.heartbeat"];

/** The tables of the parts whose changes give this another version. */
function tablesWith(version: "ticket" | "own"): string[] {
  return Object.values(PARTS).filter((part) => part.version === version).map(({ table }) => table);
}

/**
 * The states of a ticket and of those parts that have a version, by id. `stale` lists the things that have
 * not been changed since they were aged.
 */
async function standing({ ticket }: Stage) {
  const { sql } = hosting.now.harness;
  const inTicket = tablesWith("ticket").map((table) =>
    sql` || jsonb_build_object(${table}::text, array(
      select to_jsonb(p) as part from ${sql(table)} p where p.ticket_id = t.id order by part))`
  ).reduce((before, one) => sql`${before}${one}`, sql``);
  const ofTheirOwn = tablesWith("own").map((table) =>
    sql`union all select id, version, updated_at, to_jsonb(p) from ${
      sql(table)
    } p where ticket_id = ${ticket.id}::uuid`
  ).reduce((before, one) => sql`${before} ${one}`, sql``);
  const rows = await sql<{ id: string; facts: object; version: number; stale: boolean }[]>`
    select id, row - ${COUNTS}::text[] - '{version,updated_at}'::text[] as facts, version, updated_at = ${AGED} as stale from (
      select id, version, updated_at, to_jsonb(t)${inTicket} as row from tickets t where id = ${ticket.id}::uuid
      ${ofTheirOwn}
    ) rows`;
  return new Map(rows.map(({ id, ...row }) => [id, row]));
}

/** Counts of a ticket's parts, which its row keeps for lists. */
const COUNTS =
  "{open_blockers,children_open,children_total,tasks_done,tasks_total,cases_approved,cases_total,pending_questions,human_questions,agent_runs}";
const AGED = "2026-01-02T03:04:05.678Z";

async function age({ ticket: { id } }: Stage): Promise<void> {
  const { sql } = hosting.now.harness;
  await sql`update tickets set updated_at = ${AGED} where id = ${id}::uuid`;
  for (const table of tablesWith("own")) {
    await sql`update ${sql(table)} set updated_at = ${AGED} where ticket_id = ${id}::uuid`;
  }
}

describe.each(mutations.filter((name) => !SILENT.includes(name)))("%s", (name) => {
  async function setUp() {
    const scene = WRITES[name];
    if (!scene) {
      throw new Error(
        `no call of ${name} is known: add one to WRITES in tests/tickets/every_write.test.ts, or name it in NOT_OF_TICKETS`,
      );
    }
    const stage = await prepare();
    await scene.before?.(stage);
    return { stage, write: () => done(scene.write(stage)) };
  }

  test("leaves a history row under its caller and its request", async () => {
    const { write } = await setUp();
    const { headers } = await write();
    const rows = await hosting.now.harness.sql<{ actor: unknown }[]>`
      select actor from history_entries where project_id = ${project.id}::uuid and request_id = ${
      headers.get("x-request-id")
    }`;
    expect(rows.length).toBeGreaterThan(0);
    for (const { actor } of rows) expect(actor).toMatchObject({ kind: "user", id: project.admin.id });
  });

  test("asks a key for the scope of all that it changes", async () => {
    const { scope } = publishedProcedures().find((one) => one.name === name)!.meta;
    const { stage } = await setUp();
    key = (await makeKey(hosting.now.harness, project.admin, { scopes: [scope!] })).token;
    const { headers } = await done(WRITES[name]!.write(stage)).finally(() => key = undefined);
    const rows = await hosting.now.harness.sql<{ entity: string }[]>`
      select distinct entity from history where request_id = ${headers.get("x-request-id")}`;
    const changed = new Set(rows.map(({ entity }) => eventScope(entity).replace("read", "write")));
    expect(changed.size).toBeGreaterThan(0);
    if (byKey.has(headers.get("x-request-id")!)) expect([...changed]).toEqual([scope]);
  });

  test("gives what it changes another version and time, and leaves both of all else", async () => {
    const { stage, write } = await setUp();
    await age(stage);
    const before = await standing(stage);
    await write();
    const after = await standing(stage);
    for (const [id, { facts, version }] of before) {
      const now = after.get(id);
      if (!now) continue;
      const changed = !isDeepStrictEqual(now.facts, facts);
      const advice =
        "what changes gets another version (newVersion), and a part says in src/core/parts.ts whose";
      expect({ newer: now.version > version, stale: now.stale }, `${advice}: ${JSON.stringify(facts)}`)
        .toEqual({
          newer: changed,
          stale: !changed,
        });
    }
  });
});

test("a heartbeat leaves none, and changes nothing but the lease", async () => {
  const { path, task } = await prepare();
  const { token } = await makeKey(hosting.now.harness, project.admin);
  const byAgent = async (verb: string) =>
    (await done(hosting.now.harness.call("POST", `${path}/tasks/${task}/${verb}`, { token }))).body;
  const claimed = await byAgent("claim");
  const history = (await call("GET", `${path}/history`)).body;
  const { lease_expires_at, ...beaten } = await byAgent("heartbeat");
  const { lease_expires_at: first, ...rest } = claimed;
  expect(beaten).toEqual(rest);
  expect(Date.parse(lease_expires_at)).toBeGreaterThan(Date.parse(first));
  expect((await call("GET", `${path}/history`)).body).toEqual(history);
});

test("an import leaves a row for each part and one for itself, all by the importer, with any history that it brings", async () => {
  const record = await fromElsewhere(await prepare());
  const { headers } = await done(importing(record));
  const { history } = (await done(call("GET", `${project.path}/tickets/${record.id}/history`))).body;
  const rows: { entity: string; action: string }[] = history;
  expect(rows.map(({ entity, action }) => `${entity} ${action}`).toSorted()).toEqual([
    "duplicate created",
    "role created",
    "task created",
    "test_case created",
    "ticket created",
    "ticket imported",
  ]);
  const actor = { kind: "user", id: project.admin.id };
  for (const row of rows) {
    expect(row).toMatchObject({ actor, request_id: headers.get("x-request-id"), field: null, from: null });
  }
  expect(rows.find(({ action }) => action === "imported")).toMatchObject({
    to: {
      created_by: project.admin.email,
      created_at: record.created_at,
      decisions: [],
    },
  });
  const again = await done(importing(record));
  expect(again.body).toEqual({ imported: 0, existing: 1 });
  expect((await done(call("GET", `${project.path}/tickets/${record.id}/history`))).body.history).toEqual(
    rows,
  );
});
