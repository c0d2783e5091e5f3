import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import superjson from "superjson";
import type { Sql } from "../../db/open.ts";
import { MAX_ANSWER_BYTES } from "../../src/core/answer_budget.ts";
import { type PublishedProcedure, publishedProcedures } from "../../src/http/procedures.ts";
import { Role } from "../../src/core/schema.ts";
import { makeKey, makeProject, makeTicket, makeUser, type TestUser, useProject } from "../factories.ts";
import { useHarness } from "../harness.ts";
import { type LargestRows, makeLargestRows } from "../largest_rows.ts";
import { strainOf } from "../observe_process.ts";
import { Document } from "./document.ts";
import { Largest, LONGEST } from "../largest_input.ts";

// One bound for every procedure that changes something; a new one is under these tests without
// being named here.
const harness = useHarness();
const project = useProject(harness);

/** The most calls that a batch may have, and the most bytes of it. */
const CALLS = 20;
const BATCH_BYTES = 1024 * 1024;
/** The same bound as for answers (answer_bounds.test.ts). */
const BEARABLE = { grownBytes: 600 * 1024 * 1024, silentMs: 2_000 };
/** Bytes that tRPC writes around the answers of a batch. */
const FRAME = 64 * 1024;

const changes = publishedProcedures().filter(({ type }) => type === "mutation");

/** The statuses of changes that can't be made here, or not without a secret. All others must succeed. */
const REFUSED: Record<string, number> = {
  "news.mark": 403,
  "auth.changePassword": 401,
  "auth.login": 401,
  "auth.refresh": 401,
  "auth.renewSession": 401,
  "auth.startSession": 401,
  "billing.checkout": 503,
  "billing.portal": 503,
  "integrations.createIssue": 400,
  "integrations.linkAccount": 503,
  "integrations.setUpHooks": 401,
  "operations.replay": 404,
  "operations.retry": 404,
  "tickets.skipRole": 409,
  "users.acceptInvite": 404,
  "webhooks.redeliver": 404,
};

let rows: LargestRows;
let document: Document;
let largest: Largest;
/** Ids of rows that a call has had, and may have used up. */
const used = new Set<string>();
beforeAll(async () => {
  rows = await makeLargestRows(harness.now, project);
  document = await Document.of(harness.now);
  largest = new Largest(document.json.components.schemas);
});

let caller: TestUser;
beforeEach(async () => {
  caller = await makeUser(harness.now, { role: "super_admin", accountId: project.accountId });
});
afterEach(async () => {
  await harness.now.sql`update projects set archived_at = null where id = ${project.id}::uuid`;
  await harness.now.sql`delete from outbound_endpoints where project_id = ${project.id}::uuid`;
});

/** Parameters of paths that name a part of the largest ticket, with its table. Each call takes another one. */
const PARTS: Record<string, string> = {
  taskId: "tasks",
  caseId: "test_cases",
  commentId: "comments",
  questionId: "questions",
  runId: "agent_runs",
  suggestionId: "suggestions",
};

async function next(name: string): Promise<string> {
  const { sql } = harness.now;
  const left = PARTS[name]
    ? sql`${sql(PARTS[name])} where ticket_id = ${rows.params["ticketId"]!}::uuid`
    : sql`users where email like '%@long.example.test'`;
  const [row] = await sql<{ id: string }[]>`
    select id from ${left} and not id = any (${[...used]}::uuid[]) order by created_at, id desc limit 1`;
  used.add(row!.id);
  return row!.id;
}

const ACCOUNT_ID = "/accounts/{id}";

async function valueOf(path: string, name: string): Promise<string> {
  if (name === "role") return "qa";
  if (name === "ticketId") return rows.params["ticketId"]!;
  if (name === "code") return rows.params["code"]!;
  if (name in PARTS || name === "userId" || path.startsWith("/users/{id}")) return await next(name);
  if (name === "linkId") return await link();
  if (name === "webhookId") return await webhook();
  if (name === "viewId") return await savedView();
  if (name === "labelId" || name === "milestoneId") return await planned(`${name.slice(0, -2)}s`);
  if (name === "columnId") return await column();
  if (name !== "id") return crypto.randomUUID();
  if (path.startsWith("/projects/")) return project.id;
  if (path === ACCOUNT_ID) return project.accountId;
  if (path.startsWith("/keys/")) return (await makeKey(harness.now, caller)).id;
  if (path.startsWith("/auth/sessions/")) return (await makeUser(harness.now, project)).sessionId;
  return path.startsWith("/admin/scope-surveys/") ? rows.params["survey"]! : project.id;
}

/** Links the largest ticket to another one. */
async function link(): Promise<string> {
  const body = { kind: "relates", ticket: (await makeTicket(harness.now, project)).id };
  const path = `${project.path}/tickets/${rows.params["ticketId"]}/links`;
  return (await harness.now.call("POST", path, { token: caller.token, body })).body.id;
}

async function savedView(): Promise<string> {
  const body = { name: "A view", project_id: project.id };
  return (await harness.now.call("POST", "/views", { token: caller.token, body })).body.id;
}

/** Makes a label or a milestone of the project. */
async function planned(what: string): Promise<string> {
  const body = { name: crypto.randomUUID() };
  return (await harness.now.call("POST", `${project.path}/${what}`, { token: caller.token, body })).body.id;
}

/** Makes a column in the place of the project's others, of which there may be few. */
async function column(): Promise<string> {
  await prepare((sql) =>
    sql`update board_columns set deleted_at = now() where project_id = ${project.id}::uuid`
  );
  const body = { stage: "up_next", name: crypto.randomUUID() };
  return (await harness.now.call("POST", `${project.path}/columns`, { token: caller.token, body })).body.id;
}

async function webhook(): Promise<string> {
  const body = { url: "https://hooks.example.com/x" };
  return (await harness.now.call("POST", `${project.path}/webhooks`, { token: caller.token, body })).body.id;
}

/** Writes without triggers, because these rows are there before the test. */
async function prepare(write: (sql: Sql) => Promise<unknown>): Promise<void> {
  await harness.now.sql.begin(async (sql) => {
    await sql`set local session_replication_role = replica`;
    await write(sql as unknown as Sql);
  });
}

/** Values that the call needs to be legal, where the largest ones of its schema don't fit together. */
const FITTING: Record<string, (path: Record<string, string>) => object | Promise<object>> = {
  "agents.register": async () => ({ task_ids: await tasksOf(100) }),
  "auth.changePassword": () => ({ new_password: "x".repeat(128) }),
  "comments.create": () => ({ parent_id: undefined }),
  "comments.update": async () => {
    await harness.now.sql`update comments set created_by = ${caller.id}::uuid`;
    // A call of a batch has at most 256 KiB.
    return { body: `x${LONGEST.repeat(39_999)}` };
  },
  "inbox.archive": () => ({ up_to: undefined }),
  "inbox.read": () => ({ up_to: undefined }),
  "integrations.setUpHooks": () => ({ project_id: project.id }),
  "keys.create": () => ({ project_id: project.id }),
  "projects.create": () => ({ account_id: project.accountId, time_zone: "Europe/Berlin" }),
  "projects.update": () => ({ time_zone: "Europe/Berlin" }),
  "projects.putMember": () => ({ role: "member" }),
  "questions.create": () => askFor(),
  "questions.supersede": () => ({ ...askFor(), resolver: undefined }),
  "questions.answer": () => ({ option_ids: optionIds(), confirm_stale: true }),
  "settings.putRoles": () => ({ roles: Role.options.map((role) => ({ role, enabled: true })) }),
  "suggestions.accept": async () => {
    await prepare(async (sql) => {
      const tasks = await sql<{ id: string }[]>`
        update tasks set status = 'pending', blocking_reason = null, assignee_session_id = null, lease_expires_at = null
        where ticket_id = ${rows.params["ticketId"]!}::uuid
          and sequence in (select sequence from tasks where ticket_id = ${rows
        .params["ticketId"]!}::uuid order by sequence limit 44)
        returning id`;
      await sql`
        update suggestions set evidence = jsonb_set(evidence, '{parts,0,task_ids}', to_jsonb(${
        tasks.map(({ id }) => id)
      }::uuid[])) where project_id = ${project.id}::uuid`;
    });
    return {};
  },
  "suggestions.undo": async () => {
    const [accepted] = await harness.now.sql<{ id: string }[]>`
      select id from suggestions where project_id = ${project.id}::uuid and status = 'accepted'`;
    return { suggestionId: accepted!.id };
  },
  "surveys.close": async () => {
    const [open] = await harness.now.sql<{ id: string }[]>`
      select id from scope_surveys where closed_at is null order by code desc`;
    return { id: open!.id };
  },
  "surveys.create": () => ({ questions: surveyQuestions() }),
  "surveys.answer": () => ({
    email: undefined,
    answers: Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`k${at + 1}`, "é".repeat(390)])),
  }),
  "tasks.claim": async ({ taskId }) => {
    await prepare((sql) =>
      sql`
        update tasks set status = 'pending', depends_on_task_ids = '{}', assignee_session_id = null, blocking_reason = null
        where id = ${taskId!}::uuid`
    );
    return {};
  },
  "tasks.takeOver": async ({ taskId }) => {
    await prepare((sql) =>
      sql`update tasks set status = 'blocked', blocking_reason = 'Waits' where id = ${taskId!}::uuid`
    );
    return {};
  },
  "tasks.claimNext": () => ({ ticket_id: rows.params["ticketId"]! }),
  "tasks.createMany": async () => ({
    ...await withRoom("tasks"),
    idempotency_key: undefined,
    tasks: Array.from({ length: 3 }, () => ({ title: "Long", role: "qa", body: LONGEST.repeat(10_000) })),
  }),
  "tasks.heartbeat": claimed,
  "tasks.release": claimed,
  "testCases.create": async () => await withRoom("test_cases"),
  "tasks.create": async () => ({
    ...await withRoom("tasks"),
    depends_on_task_ids: await tasksOf(100),
    assignee_user_id: project.admin.id,
  }),
  "tasks.update": () => ({
    depends_on_task_ids: undefined,
    assignee_user_id: project.admin.id,
    status: "blocked",
  }),
  "tasks.reorder": async () => ({ task_ids: (await tasksOf(10_000)).toReversed() }),
  "labels.create": () => ({ color: "#a03fb0" }),
  "labels.update": () => ({ color: "#a03fb0" }),
  "labels.merge": async () => ({ into: await planned("labels") }),
  "tickets.create": async () => ({ evidence: { log: LONGEST.repeat(20_000) }, ...await plan() }),
  "tickets.update": async () => ({
    evidence: { log: LONGEST.repeat(20_000) },
    ...await plan(),
    add_labels: undefined,
    remove_labels: undefined,
    stage: "in_progress",
    status: undefined,
    resolution_type: undefined,
    resolution_note: undefined,
    roles: undefined,
  }),
  // A blocker would keep the tasks of the largest ticket from being claimed.
  "links.create": async () => ({ kind: "relates", ticket: (await makeTicket(harness.now, project)).id }),
  "tickets.place": async () => ({
    before: (await makeTicket(harness.now, project)).id,
    after: undefined,
    stage: undefined,
    column_id: undefined,
  }),
  "columns.reorder": async () => ({ stage: "up_next", column_ids: [await column()] }),
  "tickets.bulk": async () => ({
    action: "close",
    duplicate_of: undefined,
    skip_open_children: false,
    stage: undefined,
    query: undefined,
    set: undefined,
    ticket_ids: await manyTickets(),
    versions: undefined,
    skip_pending_roles: true,
    skip_human_test_gate: true,
  }),
  "transfers.import": async () => ({ records: await largestRecords() }),
  "users.create": () => ({
    email: `${crypto.randomUUID()}@example.test`,
    account_id: project.accountId,
    password: "x".repeat(128),
  }),
  "users.update": () => ({ email: undefined, role: undefined }),
  "users.acceptInvite": () => ({ password: "x".repeat(128) }),
  "views.create": () => ({ project_id: project.id, query: LONG_FILTERS, place: 1 }),
  "views.update": () => ({ query: LONG_FILTERS, place: 1 }),
  "webhooks.create": () => ({ url: LONG_URL, types: Array(100).fill("ticket.closed") }),
  "webhooks.update": () => ({ url: LONG_URL, types: Array(100).fill("ticket.closed") }),
};

/** The planning fields, with as many labels as a ticket may have, of the longest names. */
async function plan(): Promise<object> {
  await harness.now.sql`
    insert into labels (id, project_id, name, name_key, color)
    select gen_random_uuid(), ${project.id}::uuid, repeat('😀', 47) || n, repeat('😀', 47) || n, '#000000'
    from generate_series(101, 130) n on conflict do nothing`;
  return {
    assignee_user_id: project.admin.id,
    milestone_id: await planned("milestones"),
    labels: Array.from({ length: 30 }, (_, at) => "😀".repeat(47) + (101 + at)),
    start_on: undefined,
    parent_id: undefined,
    column_id: undefined,
    duplicate_of: undefined,
  };
}

/** As many filters and values as a search may have, and as long. */
const LONG_FILTERS = Array.from({ length: 20 }, () => `label:${Array(5).fill("é".repeat(16))}`).join(" ");

const LONG_URL = `https://example.com/${"a".repeat(1_900)}`;

/** Gives the task to the caller. */
async function claimed({ taskId }: Record<string, string>): Promise<object> {
  await prepare((sql) =>
    sql`
      update tasks set status = 'in_progress', assignee_user_id = ${caller.id}::uuid, assignee_session_id = 'mine',
        blocking_reason = null, lease_expires_at = now() + interval '1 hour' where id = ${taskId!}::uuid`
  );
  return { session_id: "mine" };
}

/** Makes room for another row in a list that is full. */
async function withRoom(table: string): Promise<object> {
  const ticket = rows.params["ticketId"]!;
  const last = table === "tasks" ? "sequence" : "id";
  await prepare((sql) =>
    sql`delete from ${sql(table)} where id in (
      select id from ${sql(table)} where ticket_id = ${ticket}::uuid order by ${
      sql(last)
    } desc limit ${CALLS})`
  );
  return {};
}

/** A decision with twelve options that a person answers. */
const askFor = () => ({
  kind: "decision",
  addressee: { role: "member" },
  task_id: undefined,
  about_version: undefined,
  default_option: undefined,
});

const optionIds = () => Array.from({ length: 12 }, (_, at) => `${at + 1}${LONGEST.repeat(60)}`);

const surveyQuestions = () =>
  Array.from({ length: 50 }, (_, at) => ({
    key: `k${at}`,
    text: `x${LONGEST.repeat(499)}`,
    type: "text",
    required: false,
  }));

async function tasksOf(count: number): Promise<string[]> {
  const ids = await harness.now.sql<{ id: string }[]>`
    select id from tasks where ticket_id = ${rows
    .params["ticketId"]!}::uuid order by sequence limit ${count}`;
  return ids.map(({ id }) => id);
}

const QUESTIONS = 10;

/** As many tickets as a bulk change takes, each with a role and questions. */
async function manyTickets(): Promise<string[]> {
  const tickets = await Promise.all(
    Array.from({ length: 100 }, () => makeTicket(harness.now, project, { roles: ["qa"] })),
  );
  const ids = tickets.map(({ id }) => id);
  await prepare(async (sql) => {
    await sql`
      insert into questions (id, ticket_id, project_id, kind, prompt, resolver, created_by, created_with, by_bot, allow_text)
      select gen_random_uuid(), t, ${project.id}::uuid, 'question', repeat('p', 5000), 'human_only',
        ${project.admin.id}::uuid, 'session', false, true
      from unnest(${ids}::uuid[]) t, generate_series(1, ${QUESTIONS}) n`;
    await sql`
      update tickets set pending_questions = ${QUESTIONS}, human_questions = ${QUESTIONS} where id = any (${ids}::uuid[])`;
  });
  return ids;
}

/** As many records as an import takes, and as long as 16 MiB allow. */
async function largestRecords(): Promise<unknown[]> {
  const { token } = project.admin;
  const elsewhere = await makeProject(harness.now, { admin: project.admin });
  const ticket = await makeTicket(harness.now, elsewhere, { roles: ["qa"] });
  await harness.now.call("POST", `${ticket.path}/comments`, {
    token,
    body: { body: `x${LONGEST.repeat(9_999)}` },
  });
  const { body } = await harness.now.call("GET", `${elsewhere.path}/export`, { token });
  const [record] = body.records;
  const [comment] = record.comments;
  imported += 1_000_000;
  return Array.from({ length: 100 }, (_, at) => ({
    ...record,
    id: crypto.randomUUID(),
    number: imported + at,
    creation: null,
    history: [],
    comments: Array.from({ length: 2 }, () => ({ ...comment, id: crypto.randomUUID() })),
  }));
}
let imported = 1_000_000;

async function inputOf({ name, meta, pathFields }: PublishedProcedure): Promise<Record<string, unknown>> {
  const path: Record<string, string> = {};
  for (const field of pathFields) path[field] = await valueOf(meta.path, field);
  const body = name !== "transfers.import" &&
    document.json.paths[meta.path]?.[meta.method.toLowerCase()]?.requestBody?.content["application/json"];
  const widest = body ? largest.of(body.schema) as object : {};
  const input = { ...path, ...widest, ...await FITTING[name]?.(path) };
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
}

const requests = {
  async REST(procedure: PublishedProcedure): Promise<[method: string, path: string, body: unknown]> {
    const { meta, pathFields } = procedure;
    const input = await inputOf(procedure);
    const path = meta.path.replace(/\{(\w+)\}/g, (_, name: string) => String(input[name]));
    const body = Object.fromEntries(Object.entries(input).filter(([name]) => !pathFields.includes(name)));
    return [meta.method, `/api${path}`, meta.method === "DELETE" ? undefined : body];
  },
  async "a batch over tRPC"(
    procedure: PublishedProcedure,
  ): Promise<[method: string, path: string, body: unknown]> {
    const inputs = [superjson.serialize(await inputOf(procedure))];
    const most = Math.min(CALLS, Math.floor(BATCH_BYTES / (JSON.stringify(inputs[0]).length + 10)));
    while (inputs.length < most) inputs.push(superjson.serialize(await inputOf(procedure)));
    const names = inputs.map(() => procedure.name).join(",");
    return ["POST", `/trpc/${names}?batch=1`, Object.fromEntries(inputs.map((input, at) => [at, input]))];
  },
};

/** The outcomes of the calls: "done", or the status of the failure. */
function outcomesOf({ status, text }: { status: number; text: string }): (number | "done")[] {
  if (!text.startsWith("[")) return [status < 300 ? "done" : status];
  return JSON.parse(text).map(({ error }: { error?: { json: { data: { httpStatus: number } } } }) =>
    error?.json.data.httpStatus ?? "done"
  );
}

describe.each(Object.entries(requests))("the largest change by %s", (_door, requestOf) => {
  test.each(changes.map((procedure) => [procedure.name, procedure] as const))(
    "%s",
    async (name, procedure) => {
      const [method, path, body] = await requestOf(procedure);
      const { token } = caller;
      const { result, silentMs, grownBytes } = await strainOf(async () => {
        const response = await harness.now.request(method, path, {
          token,
          ...(body !== undefined && { body }),
        });
        return { status: response.status, text: await response.text() };
      });
      expect(outcomesOf(result), result.text.slice(0, 1_000)).toContain(REFUSED[name] ?? "done");
      expect(Buffer.byteLength(result.text)).toBeLessThanOrEqual(MAX_ANSWER_BYTES + FRAME);
      expect(silentMs).toBeLessThan(BEARABLE.silentMs);
      expect(grownBytes).toBeLessThan(BEARABLE.grownBytes);
    },
  );
});
