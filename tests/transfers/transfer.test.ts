import superjson from "superjson";
import { describe, expect, test } from "vitest";
import { v7 as uuid } from "uuid";
import {
  answeredElsewhere,
  makeKey,
  makeMember,
  makeProject,
  makeTicket,
  makeUser,
  type TestProject,
  ticketInput,
} from "../factories.ts";
import type { PartName, PARTS } from "../../src/core/parts.ts";
import { type KnownPerson, rowsOf } from "../../src/transfers/ticket_rows.ts";
import { behindLock } from "../behind_lock.ts";
import { CRON_SECRET, makeMerged, newSha, sendDeploy } from "../deploys/setup.ts";
import { type Harness, openHarness, useHarness } from "../harness.ts";

const harness = useHarness({ env: { CRON_SECRET } });

function post(service: Harness, project: TestProject, path: string, body: Record<string, unknown> = {}) {
  return service.call("POST", path, { token: project.admin.token, body });
}

const PENDING = { role: "qa", status: "pending" };
const AT = "2026-01-01T00:00:00.000Z";
const TASK = uuid();
const ISSUE = {
  repo_full_name: "acme/one",
  issue_number: 1,
  issue_url: "https://github.com/acme/one/issues/1",
  title: null,
  state: null,
};
const ANSWERED = answeredElsewhere(uuid());

/**
 * Three tickets with all that a ticket can have; the second is closed as a duplicate of the third.
 */
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
    idempotency_key: "once",
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
    idempotency_key: "once",
  });
  await post(service, project, `${first.path}/test-cases/${made.body.id}/approve`);
  await post(service, project, `${first.path}/comments`, { body: "Look there" });
  await post(service, project, `${first.path}/questions`, { prompt: "Which limit?" });
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
  await service.call("PUT", `${third.path}/github-issue`, {
    token,
    body: { repo_full_name: "acme/one", issue_number: 3 },
  });
  return project;
}

async function sendRecords(service: Harness, project: TestProject, records: unknown[]) {
  return await post(service, project, `${project.path}/import`, { records });
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

/** A copy of a ticket takes new ids, but its comments and questions would keep theirs. */
const WITHOUT_CONVERSATION = { comments: [], questions: [] };

/** The parts that come back from an import: not the history, not unknown people, not the claim. */
function comparable(records: Record<string, unknown>[]) {
  return records.map(({ history: _, created_by: __, project_keys: ___, ...record }) => ({
    ...record,
    tasks: (record.tasks as Record<string, unknown>[]).map((task) => ({ ...task, assignee: null })),
    test_cases: (record.test_cases as Record<string, unknown>[]).map((one) => ({ ...one, decided_by: null })),
    comments: (record.comments as Record<string, unknown>[]).map((one) => ({ ...one, created_by: null })),
    questions: (record.questions as Record<string, unknown>[]).map((one) => ({ ...one, created_by: null })),
    creation: withoutAddress(record.creation),
  }));
}

/** A stored answer names the ticket's address in its own installation. */
function withoutAddress(creation: unknown) {
  return JSON.parse(JSON.stringify(creation), (name, value) => name === "url" ? "" : value);
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
      const countsOf = async (harness: Harness, { path, admin }: TestProject) => {
        const { tickets } = (await harness.call("GET", `${path}/tickets`, { token: admin.token })).body;
        return tickets.map(({ tasks, cases }: Record<string, object>) => ({ tasks, cases }));
      };
      expect(await countsOf(other, target)).toEqual(await countsOf(harness.now, project));
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
      const url = `http://handoff.test/${target.key}/tickets/${target.key}-1`;
      expect(replay.body).toMatchObject({ _idempotent_replay: true, ticket: { id: records[0].id, url } });
      const repeats = [
        ["tasks", "task", { title: "Another one", role: "qa" }],
        ["test-cases", "test_case", { title: "Another one", instruction: "Close it." }],
      ] as const;
      for (const [parts, part, draft] of repeats) {
        const repeat = await post(other, target, `${target.path}/tickets/${records[0].id}/${parts}`, {
          ...draft,
          idempotency_key: "once",
        });
        const { response } = records[0].part_creations.find((made: { part: string }) => made.part === part);
        expect([repeat.status, repeat.body]).toEqual([200, { ...response, _idempotent_replay: true }]);
      }
      expect((await exportAll(other, target))[0]).toMatchObject({
        tasks: { length: 2 },
        test_cases: { length: 1 },
      });
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
      await other.run("sweep-merged-tickets");
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

test("an export tells every time to the millisecond, as all other answers do", async () => {
  const project = await makeFull(harness.now);
  const [first] = await exportAll(harness.now, project);
  const read = async (part: string) =>
    (await harness.now.call("GET", `${project.path}/tickets/${first.id}/${part}`, {
      token: project.admin.token,
    })).body;
  const times = (rows: Record<string, string>[]) =>
    rows.map(({ created_at, updated_at, started_at }) => [created_at, updated_at, started_at]);
  expect(times(first.tasks)).toEqual(times((await read("tasks")).tasks));
  const { history } = await read("history?limit=200");
  expect(history.some(({ field, to }: { field: string; to: unknown }) => field === "started_at" && to)).toBe(
    true,
  );
  expect(first.history.map(({ created_at, from_value, to_value }: Record<string, unknown>) => ({
    at: created_at,
    from: from_value,
    to: to_value,
  }))).toEqual(history.map(({ at, from, to }: Record<string, unknown>) => ({ at, from, to })));
});

test("an import takes times as other programs write them, and names one that is none", async () => {
  const project = await makeFull(harness.now);
  const [first] = await exportAll(harness.now, project);
  const other = await openHarness();
  try {
    const target = await makeProject(other);
    const created_at = first.created_at.replace("Z", "000+00:00");
    const send = (created_at: string) => sendRecords(other, target, [{ ...first, created_at }]);
    expect((await send("yesterday")).body.fieldErrors).toEqual({
      "records.0.created_at": "Invalid ISO datetime",
    });
    expect((await send(created_at)).body).toEqual({ imported: 1, existing: 0 });
    expect((await exportAll(other, target))[0].created_at).toBe(first.created_at);
  } finally {
    await other.close();
  }
});

test("an export has nothing behind a number that no ticket can have", async () => {
  const project = await makeProject(harness.now);
  const cursor = btoa(JSON.stringify([Number.MAX_SAFE_INTEGER])).replaceAll("=", "");
  const { token } = project.admin;
  const { status, body } = await harness.now.call("GET", `${project.path}/export?cursor=${cursor}`, {
    token,
  });
  expect([status, body]).toEqual([200, { records: [], next_cursor: null }]);
});

test("an archived project is still exported, but takes no import, also when it was archived a moment ago", async () => {
  const project = await makeFull(harness.now);
  const target = await makeProject(harness.now);
  for (const { path, admin } of [project, target]) {
    await harness.now.call("GET", path, { token: admin.token });
    // Another process archives the project, and this one hears of it in a few seconds.
    await harness.now.sql`update projects set archived_at = now() where id = ${path.split("/").at(
      -1,
    )!}::uuid`;
  }
  const records = await exportAll(harness.now, project);
  expect(records).toHaveLength(3);
  const { status, body } = await post(harness.now, target, `${target.path}/import`, { records });
  expect([status, body.error]).toEqual([403, expect.stringContaining("archived")]);
});

test("a ticket as large as tickets can be is exported and imported over REST and tRPC", async () => {
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
  for (const protocol of ["REST", "tRPC"]) {
    const target = await makeProject(harness.now);
    const records = [renewed()];
    const { status } = protocol === "REST"
      ? await post(harness.now, target, `${target.path}/import`, { records })
      : await harness.now.request("POST", "/trpc/transfers.import", {
        token: target.admin.token,
        body: superjson.serialize({ id: target.id, records }),
      });
    expect(status, protocol).toBe(200);
    expect(await exportAll(harness.now, target)).toMatchObject([{ tasks: { length: 500 } }]);
  }
});

/** The tables that an import writes. Marks as a duplicate and links are written when all tickets are there. */
type WrittenTable =
  | {
    [Name in PartName]: (typeof PARTS)[Name]["travels"] extends null ? never : (typeof PARTS)[Name]["table"];
  }[
    Exclude<PartName, "duplicate" | "link">
  ]
  | "tickets"
  | "ticket_creations"
  | "part_creations";

/** Columns that an import leaves to the database, and why. */
const LEFT: Record<WrittenTable, Record<string, string>> = {
  tickets: {
    parent_id: "written when all tickets are there",
    priority_rank: "generated",
    ship_state: "generated",
    rank: "generated",
    version: "no ETag of another installation passes here",
    ...Object.fromEntries(
      [
        "tasks_done",
        "tasks_total",
        "cases_approved",
        "cases_total",
        "agent_runs",
        "open_blockers",
        "children_open",
        "children_total",
      ].map((
        column,
      ) => [column, "triggers count"]),
    ),
  },
  ticket_roles: {},
  comments: { key_id: "claims of keys mean nothing here" },
  questions: {
    key_id: "claims of keys mean nothing here",
    about_version: "versions of another installation mean nothing here",
  },
  tasks: {
    assignee_session_id: "claims don't come along",
    claimed_with: "claims don't come along",
    lease_expires_at: "claims don't come along",
    version: "no ETag of another installation passes here",
  },
  test_cases: { version: "no ETag of another installation passes here" },
  ticket_issues: {
    event_at: "the next event is news, whatever its time",
    created_at: "of the link, which nobody is shown",
    updated_at: "of the link, which nobody is shown",
  },
  ticket_creations: {
    body_sha256: "a repeat is not told whether its body differs",
    created_at: "an answer is kept from its import on",
  },
  part_creations: {
    body_sha256: "a repeat is not told whether its body differs",
    created_at: "an answer is kept from its import on",
  },
};

test("an import writes every column of its tables but those that are left on purpose", async () => {
  const project = await makeFull(harness.now);
  const plans = {
    labels: new Map<string, string>(),
    milestones: new Map<string, string>(),
    columns: new Map<string, string>(),
  };
  const found = { people: new Map<string, KnownPerson>(), plans, addressOf: String };
  const rows = rowsOf(project.id, found, await exportAll(harness.now, project));
  const columns = await harness.now.sql<{ table: string; names: string[] }[]>`
    select table_name as table, array_agg(column_name::text order by column_name) as names from information_schema.columns
    where table_schema = 'public' and table_name = any (${Object.keys(LEFT)}::text[]) group by table_name`;
  const written = Object.entries(rows).map(([table, [row]]) => [
    table,
    [...Object.keys(row!), ...Object.keys(LEFT[table as WrittenTable])].toSorted(),
  ]);
  expect(
    Object.fromEntries(written),
    "write each column in src/transfers/ticket_rows.ts, or name it in LEFT (tests/transfers/transfer.test.ts)",
  ).toEqual(
    Object.fromEntries(columns.map(({ table, names }) => [table, names.toSorted()])),
  );
});

describe("that repositories report deploys", () => {
  /**
   * A project with a repository that reports deploys, and with a ticket that waits for its deploy.
   */
  async function makeWaiting() {
    const repo = `acme/${uuid()}`;
    const project = await makeProject(harness.now, { repositories: [repo.toUpperCase(), "acme/silent"] });
    await sendDeploy(harness.now, { repo, sha: newSha() });
    await makeMerged(harness.now, project, newSha());
    return { repo, project, records: await exportAll(harness.now, project) };
  }

  async function reporting(service: Harness): Promise<string[]> {
    const rows = await service.sql<{ repo: string }[]>`select repo from deploy_reports order by repo`;
    return rows.map(({ repo }) => repo);
  }

  test("comes along, so that what waits for its deploy is left open by the sweep", async () => {
    const { repo, records } = await makeWaiting();
    expect(records).toMatchObject([{ reported_repos: [repo] }]);
    const other = await openHarness();
    try {
      const target = await makeProject(other, { repositories: [repo.replace("acme", "Acme")] });
      expect((await sendRecords(other, target, records)).body).toEqual({ imported: 1, existing: 0 });
      await other.run("sweep-merged-tickets");
      expect(await exportAll(other, target)).toMatchObject([{ stage: "backlog", reported_repos: [repo] }]);
      const [audit] = await other.sql`select details from audit_log where action = 'project.imported'`;
      expect(audit!.details).toMatchObject({ tickets: 1, reported_repos: [repo] });
    } finally {
      await other.close();
    }
  });

  test("comes along for the project's own repositories only, and not where another account has them too", async () => {
    const { repo, records: [record] } = await makeWaiting();
    const other = await openHarness();
    try {
      const target = await makeProject(other, { repositories: [repo] });
      await makeProject(other, { repositories: ["acme/foreign", "acme/shared"] });
      const sibling = await makeProject(other, { admin: target.admin, repositories: ["acme/sibling"] });
      await post(other, target, `${target.path}/tickets`, ticketInput());
      await other.call("PUT", `${target.path}/repositories`, {
        token: target.admin.token,
        body: { repositories: [repo, "acme/shared"] },
      });
      const reported_repos = [repo, "acme/foreign", "acme/shared", "acme/sibling", "acme/nobodys"];
      const sent = await sendRecords(other, target, [{ ...record, number: 9, reported_repos }]);
      expect(sent.body).toEqual({ imported: 1, existing: 0 });
      expect(await reporting(other)).toEqual([repo]);
      const refused = await sendRecords(other, sibling, [{
        ...record,
        id: uuid(),
        reported_repos: ["acme/shared"],
      }]);
      expect(refused.status).toBe(400);
      expect(await reporting(other)).toEqual([repo]);
    } finally {
      await other.close();
    }
  });

  test("refuses a ticket that waits while none of them is wired, all of the call, and names them", async () => {
    const { repo, records: [record] } = await makeWaiting();
    const target = await makeProject(harness.now, { repositories: ["acme/silent"] });
    let number = 10;
    const anew = (fields: object) => ({ ...record, id: uuid(), number: number++, ...fields });
    const closed = { stage: "live", closed_at: AT, resolution_type: "completed" };
    const harmless = [
      anew({ merge_sha: null }),
      anew(closed),
      anew({ deployed_at: AT }),
      anew({ deployed_at: AT, deploy_failed_at: AT }),
      anew({ reported_repos: [] }),
      anew({ reported_repos: undefined }),
    ];
    const { status, body } = await sendRecords(harness.now, target, [
      ...harmless,
      anew({}),
      anew({ deployed_at: AT, deploy_failed_at: record.created_at }),
    ]);
    expect([status, Object.keys(body.fieldErrors)]).toEqual([400, [
      "records.6.reported_repos",
      "records.7.reported_repos",
    ]]);
    expect(body.fieldErrors["records.6.reported_repos"]).toContain(repo);
    expect(await exportAll(harness.now, target)).toEqual([]);
    expect((await sendRecords(harness.now, target, harmless)).body).toEqual({ imported: 6, existing: 0 });
  });
});

describe("an import", () => {
  test("repeated leaves a ticket alone that was reopened here, also at that moment; a later call brings a link", async () => {
    const project = await makeFull(harness.now);
    const [first, second, third] = (await exportAll(harness.now, project)).map((record) => ({
      ...record,
      id: uuid(),
      creation: null,
      part_creations: [],
      tasks: [],
      test_cases: [],
      comments: [],
      questions: [],
    }));
    second.duplicate_of = third.id;
    const target = await makeProject(harness.now);
    const send = (...records: unknown[]) => sendRecords(harness.now, target, records);
    const path = `${target.path}/tickets/${second.id}`;
    const duplicateOf = async () =>
      (await harness.now.call("GET", `${path}/duplicates`, { token: target.admin.token })).body.duplicate_of;
    await send(first, second);
    expect(await duplicateOf()).toBeNull();
    await send(third);
    expect((await send(second)).body).toEqual({ imported: 0, existing: 1 });
    expect(await duplicateOf()).toMatchObject({ ticket_id: third.id });

    const reopen = () =>
      post(harness.now, target, `${target.path}/tickets/bulk`, {
        action: "move",
        ticket_ids: [second.id],
        stage: "backlog",
      });
    const [reopened, again] = await behindLock(
      harness.now,
      (tx) => tx`select from tickets where id = ${second.id}::uuid for update`,
      reopen,
      () => send(second),
    );
    expect([reopened!.body.updated, again!.body.existing]).toEqual([1, 1]);
    await send(first, second, third);
    const links = await harness.now.sql`select from ticket_duplicates where ticket_id = ${second.id}::uuid`;
    expect(links.count).toBe(0);
  });

  test("keeps in the history who decided a case, also where nobody has that email", async () => {
    const project = await makeFull(harness.now);
    const [record] = await exportAll(harness.now, project);
    const other = await openHarness();
    try {
      const target = await makeProject(other);
      expect((await sendRecords(other, target, [record])).body.imported).toBe(1);
      const [arrived] = await exportAll(other, target);
      expect(arrived.test_cases).toMatchObject([{ status: "approved", decided_by: null }]);
      expect(arrived.history.at(-1)).toMatchObject({
        action: "imported",
        to_value: {
          decisions: [{ id: record.test_cases[0].id, decided_by: project.admin.email }],
        },
      });
      const third = await makeProject(harness.now);
      const again = [{
        ...arrived,
        ...WITHOUT_CONVERSATION,
        id: uuid(),
        tasks: [],
        creation: null,
        part_creations: [],
      }].map((
        one,
      ) => ({
        ...one,
        test_cases: one.test_cases.map((part: object) => ({ ...part, id: uuid() })),
      }));
      expect((await sendRecords(harness.now, third, again)).body.imported).toBe(1);
    } finally {
      await other.close();
    }
  });

  test("finds people in its own account only", async () => {
    const project = await makeFull(harness.now);
    const [record] = await exportAll(harness.now, project);
    const fresh = (part: object) => ({ ...part, id: uuid() });
    const target = await makeProject(harness.now);
    const one = {
      ...fresh(record),
      test_cases: record.test_cases.map(fresh),
      tasks: [],
      creation: null,
      ...WITHOUT_CONVERSATION,
    };
    const sent = await sendRecords(harness.now, target, [{ ...one, part_creations: [] }]);
    expect(sent.body).toEqual({ imported: 1, existing: 0 });
    expect(await exportAll(harness.now, target)).toMatchObject([{
      created_by: null,
      test_cases: [{ status: "approved", decided_by: null }],
    }]);
  });

  test("takes numbers up to one from where the next tickets are still found by ref, and come out and in again", async () => {
    const project = await makeProject(harness.now);
    await makeTicket(harness.now, project);
    const [record] = await exportAll(harness.now, project);
    const at = (number: number) => ({ ...record, id: uuid(), number });
    const target = await makeProject(harness.now);
    const refused = await sendRecords(harness.now, target, [at(100_000_000)]);
    expect([refused.status, Object.keys(refused.body.fieldErrors)]).toEqual([400, ["records.0.number"]]);
    await sendRecords(harness.now, target, [at(99_999_999)]);
    const { ref } = await makeTicket(harness.now, target);
    const found = await harness.now.call("GET", `${target.path}/tickets/${ref}`, {
      token: target.admin.token,
    });
    expect([found.status, found.body.number]).toEqual([200, 100_000_000]);
    expect(await exportAll(harness.now, target)).toHaveLength(2);
  });

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

  test("of a ticket that comes before others leaves the next number behind all of them", async () => {
    const project = await makeProject(harness.now);
    await makeTicket(harness.now, project);
    const [record] = await exportAll(harness.now, project);
    for (const number of [50, 20]) {
      await sendRecords(harness.now, project, [{ ...record, id: uuid(), number, creation: null }]);
    }
    expect((await makeTicket(harness.now, project)).ref).toBe(`${project.key}-51`);
  });

  test("asks for the embeddings of what came", async () => {
    const project = await makeProject(harness.now);
    await makeTicket(harness.now, project);
    const [record] = await exportAll(harness.now, project);
    await harness.now.sql`delete from pgboss.job where name = 'backfill-embeddings'`;
    await sendRecords(harness.now, project, [{ ...record, id: uuid(), number: 2, creation: null }]);
    expect(await harness.now.sql`select from pgboss.job where name = 'backfill-embeddings'`).toHaveLength(1);
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

  test("links no ticket to one of another project, whose title it would tell", async () => {
    const [project, foreign] = [await makeProject(harness.now), await makeProject(harness.now)];
    const hidden = await makeTicket(harness.now, foreign);
    const source = await makeFull(harness.now);
    const [, closed] = await exportAll(harness.now, source);
    const record = { ...closed, id: uuid(), duplicate_of: hidden.id, creation: null };
    const { status } = await sendRecords(harness.now, project, [record]);
    expect(status).toBe(200);
    const [row] = await harness.now.sql`
      select count(*) as links from ticket_duplicates where duplicate_of = ${hidden.id}::uuid`;
    expect(row).toEqual({ links: 0 });
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
    const again = [...anew, { ...anew[0], id: uuid() }];
    const twins = await post(harness.now, target, `${target.path}/import`, { records: again });
    expect([twins.status, twins.body.fieldErrors]).toEqual([400, {
      records: `Names the number ${anew[0].number} twice`,
    }]);
    const copies = [records[0], { ...records[0], id: uuid(), number: 9 }];
    const { body } = await post(harness.now, target, `${target.path}/import`, { records: copies });
    expect(body.issues.map(({ message }: { message: string }) => message)).toEqual(expect.arrayContaining([
      "Names the idempotency key once twice",
      `Names the task ${records[0].tasks[0].id} twice`,
      `Names the test case ${records[0].test_cases[0].id} twice`,
    ]));
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
    ["an open ticket with a resolution", { resolution_type: "completed" }, "records.0.resolution_type"],
    ["an open ticket with a note on its closing", { resolution_note: "Done" }, "records.0.resolution_note"],
    ["a closed ticket without a resolution", { stage: "live", closed_at: AT }, "records.0.resolution_type"],
    ["a deploy of nothing", { deployed_at: AT }, "records.0.deployed_at"],
    ["a failed deploy of nothing", { deploy_failed_at: AT }, "records.0.deploy_failed_at"],
    ["a repository by no name", { reported_repos: ["acme"] }, "records.0.reported_repos.0"],
    ["an issue's title with a NUL", { issue: { ...ISSUE, title: "a\0" } }, "records.0.issue.title"],
    ["an issue's title with half a pair", { issue: { ...ISSUE, title: "a\ud800" } }, "records.0.issue.title"],
    [
      "an address with a NUL",
      { issue: { ...ISSUE, issue_url: "https://example.test/\0" } },
      "records.0.issue.issue_url",
    ],
    ...[
      "javascript:alert(1)//github.com/acme/one/issues/1",
      "https://evil.example/acme/one/issues/1",
      "https://github.com.evil.example/acme/one/issues/1",
      "https://user@github.com/acme/one/issues/1",
      "http://github.com/acme/one/issues/1",
      "https://github.com/acme/two/issues/1",
      "https://github.com/acme/one/issues/2",
    ].map((issue_url): [string, object, string] => [
      `an issue at ${issue_url}`,
      { issue: { ...ISSUE, issue_url } },
      "records.0.issue.issue_url",
    ]),
  ])("refuses %s by its path", async (_, fields, path) => {
    const project = await makeProject(harness.now);
    await makeTicket(harness.now, project);
    const [record] = await exportAll(harness.now, project);
    const records = [{ ...record, id: uuid(), number: 7, ...fields }];
    const { status, body } = await post(harness.now, project, `${project.path}/import`, { records });
    expect([status, Object.keys(body.fieldErrors)]).toEqual([400, [path]]);
  });

  test.each([
    ["that is empty", {}, "ticket"],
    ["without a ticket", { ticket: "x" }, "ticket"],
    ["of another ticket", { ticket: ANSWERED }, "ticket.id"],
    ["without roles", { ticket: { ...ANSWERED, roles: undefined } }, "ticket.roles"],
    ["with a number for a list", { ticket: ANSWERED, similar_existing: 5 }, "similar_existing"],
    ["with nothing in a list", { ticket: ANSWERED, similar_existing: [null] }, "similar_existing.0"],
  ])("refuses a stored answer %s, which no repeat could be answered with", async (_, response, path) => {
    const project = await makeProject(harness.now);
    await makeTicket(harness.now, project);
    const [record] = await exportAll(harness.now, project);
    const creation = { idempotency_key: "k", response };
    const records = [{ ...record, id: uuid(), number: 7, creation }];
    const { status, body } = await sendRecords(harness.now, project, records);
    expect([status, Object.keys(body.fieldErrors)]).toEqual([400, [`records.0.creation.response.${path}`]]);
  });

  test.each([
    ["task that is empty", "task", () => ({}), "response.id"],
    [
      "task of another ticket",
      "task",
      (made: object) => ({ ...made, handoff_request_id: uuid() }),
      "response.handoff_request_id",
    ],
    ["task without a status", "task", (made: object) => ({ ...made, status: undefined }), "response.status"],
    ["test case that is empty", "test_case", () => ({}), "response.id"],
    [
      "test case in no known state",
      "test_case",
      (made: object) => ({ ...made, status: "lost" }),
      "response.status",
    ],
    [
      "test case whose link runs a script",
      "test_case",
      (made: object) => ({ ...made, link: "javascript:alert(1)" }),
      "response.link",
    ],
  ])(
    "refuses the stored answer of a %s, which no repeat could be answered with",
    async (_, part, change, path) => {
      const project = await makeFull(harness.now);
      const [record] = await exportAll(harness.now, project);
      const part_creations = record.part_creations.map((made: { part: string; response: object }) =>
        made.part === part ? { ...made, response: change(made.response) } : made
      );
      const place = part_creations.findIndex((made: { part: string }) => made.part === part);
      const { status, body } = await sendRecords(harness.now, project, [{ ...record, part_creations }]);
      expect([status, Object.keys(body.fieldErrors)]).toEqual([400, [
        `records.0.part_creations.${place}.${path}`,
      ]]);
    },
  );

  test("refuses the stored answer of a creation whose address runs a script", async () => {
    const project = await makeFull(harness.now);
    const [record] = await exportAll(harness.now, project);
    record.creation.response.ticket.url = "javascript:alert(1)";
    const { status, body } = await sendRecords(harness.now, project, [record]);
    expect([status, Object.keys(body.fieldErrors)]).toEqual([400, [
      "records.0.creation.response.ticket.url",
    ]]);
  });

  test("brings a case that a bot client's email decided, but not that it did", async () => {
    const project = await makeFull(harness.now);
    const records = await exportAll(harness.now, project);
    const target = await openHarness();
    try {
      const other = await makeProject(target);
      const bot = await makeUser(target, { accountId: other.accountId, kind: "bot" });
      records[0].test_cases[0].decided_by = bot.email;
      expect((await sendRecords(target, other, records)).status).toBe(200);
      const [found] = await exportAll(target, other);
      expect(found.test_cases[0]).toMatchObject({ status: "approved", decided_by: null });
    } finally {
      await target.close();
    }
  });

  test("refuses a key of a ticket's tasks that comes twice, and takes an export that tells of none", async () => {
    const project = await makeFull(harness.now);
    const [{ part_creations, ...record }] = await exportAll(harness.now, project);
    const [made] = part_creations;
    const twice = { ...record, part_creations: [...part_creations, made] };
    const { status, body } = await sendRecords(harness.now, project, [twice]);
    expect([status, Object.keys(body.fieldErrors)]).toEqual([400, ["records.0.part_creations"]]);
    const other = await openHarness();
    try {
      const target = await makeProject(other);
      expect((await sendRecords(other, target, [record])).body).toEqual({ imported: 1, existing: 0 });
      expect(await exportAll(other, target)).toMatchObject([{ part_creations: [] }]);
    } finally {
      await other.close();
    }
  });

  test.each([
    ["a task in progress that never began", { status: "in_progress" }, "started_at"],
    [
      "a task in progress that is completed",
      { status: "in_progress", started_at: AT, completed_at: AT },
      "completed_at",
    ],
    ["a pending task that is completed", { completed_at: AT }, "completed_at"],
    ["a task that waits for another twice", { depends_on_task_ids: [TASK, TASK] }, "depends_on_task_ids"],
  ])("refuses %s", async (_, fields, name) => {
    const project = await makeFull(harness.now);
    const [record] = await exportAll(harness.now, project);
    const [one, two] = record.tasks;
    const bare = { ...two, depends_on_task_ids: [], started_at: null, completed_at: null, status: "pending" };
    const tasks = [{ ...one, id: TASK }, { ...bare, ...fields }];
    const { status, body } = await sendRecords(harness.now, project, [{ ...record, tasks }]);
    expect([status, Object.keys(body.fieldErrors)]).toEqual([400, [`records.0.tasks.1.${name}`]]);
  });

  test("refuses a pending case that somebody has decided", async () => {
    const project = await makeFull(harness.now);
    const [record] = await exportAll(harness.now, project);
    const test_cases = [{ ...record.test_cases[0], status: "pending", decided_at: null }];
    const { status, body } = await sendRecords(harness.now, project, [{ ...record, test_cases }]);
    expect([status, Object.keys(body.fieldErrors)]).toEqual([400, ["records.0.test_cases.0.decided_by"]]);
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
      const emptied = { ...WITHOUT_CONVERSATION, test_cases: [], creation: null, part_creations: [] };
      const copy = { ...record, ...emptied, id: uuid(), number: 70, tasks };
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

  test("keeps the numbers of tasks, and gives new ones to an export that has none or repeats some", async () => {
    const project = await makeFull(harness.now);
    const [record] = await exportAll(harness.now, project);
    const arrive = async (numbers: (number | undefined)[]) => {
      const target = await makeProject(harness.now);
      const tasks = numbers.map((number, place) => ({
        ...record.tasks[0],
        id: uuid(),
        sequence: place + 1,
        number,
      }));
      const part_creations = tasks.slice(0, 1).map(({ id }) => ({
        part: "task",
        idempotency_key: "again",
        response: {
          ...Object.fromEntries(Object.entries(made).filter(([name]) => name !== "number")),
          id,
          handoff_request_id: ticketId,
        },
      }));
      const copy = {
        ...record,
        ...WITHOUT_CONVERSATION,
        test_cases: [],
        creation: null,
        part_creations,
        id: ticketId,
        tasks,
      };
      expect((await sendRecords(harness.now, target, [{ ...copy, id: ticketId }])).status).toBe(200);
      const path = `${target.path}/tickets/${ticketId}/tasks`;
      const again = await post(harness.now, target, path, {
        title: "Again",
        role: "qa",
        idempotency_key: "again",
      });
      const added = await post(harness.now, target, path, { title: "Added", role: "qa" });
      const [{ tasks: arrived }] = await exportAll(harness.now, target);
      expect(arrived.at(-1).number).toBe(added.body.number);
      ticketId = uuid();
      return [arrived.map(({ number }: { number: number }) => number), again.body.number];
    };
    const source = await makeProject(harness.now);
    const { path } = await makeTicket(harness.now, source);
    const { body: made } = await post(harness.now, source, `${path}/tasks`, { title: "Again", role: "qa" });
    let ticketId = uuid();
    expect(await arrive([7, 3])).toEqual([[7, 3, 8], 7]);
    expect(await arrive([undefined, undefined])).toEqual([[1, 2, 3], 1]);
    expect(await arrive([4, 4])).toEqual([[1, 2, 3], 1]);
  });
});
