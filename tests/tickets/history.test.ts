import { v7 as uuid } from "uuid";
import { describe, expect, test } from "vitest";
import { PARTS } from "../../src/core/parts.ts";
import { makeKey, makeMember, makeProject, makeTicket, type TestTicket, useProject } from "../factories.ts";
import { useHarness } from "../harness.ts";
import { type HistoryRow, readHistory, readThings, replay } from "./_replay.ts";

const harness = useHarness();
const project = useProject(harness);

function call(method: string, path: string, body?: Record<string, unknown>, token = project.admin.token) {
  return harness.now.call(method, path, { token, body });
}

function runOf({ to }: HistoryRow): number {
  return (to as { run: number }).run;
}

/** A life with every kind of change in it. */
async function liveThrough(): Promise<TestTicket> {
  const ticket = await makeTicket(harness.now, project, {
    roles: ["qa", "backend"],
    evidence: { deep: { nothing: null, list: [null, 1] } },
  });
  const { path } = ticket;
  const task = async (title: string) =>
    (await call("POST", `${path}/tasks`, { title, role: "qa" })).body.id as string;
  const [one, two, three] = [await task("one"), await task("two"), await task("three")];
  const newCase = async () =>
    (await call("POST", `${path}/test-cases`, { title: "Try", instruction: "Look." })).body.id as string;
  const [good, bad] = [await newCase(), await newCase()];
  await call("PATCH", path, {
    title: "Another title",
    evidence: { deep: { nothing: null } },
    merge_sha: "a".repeat(40),
  });
  await call("PATCH", path, { roles: ["qa", "design"], suggested_resolution: "Try again" });
  await call("POST", `${path}/roles/qa/start`);
  await call("PATCH", `${path}/tasks/${two}`, {
    depends_on_task_ids: [one],
    acceptance_criteria: [{ text: "Works", done: false }],
  });
  await call("POST", `${path}/tasks/${one}/claim`);
  await call("POST", `${path}/tasks/${one}/heartbeat`);
  await call("PATCH", `${path}/tasks/${one}`, { status: "done" });
  await call("POST", `${path}/tasks/reorder`, { task_ids: [three, two, one] });
  await call("PATCH", `${path}/tasks/${three}`, { status: "blocked", blocking_reason: "Waits" });
  await call("DELETE", `${path}/tasks/${three}`);
  await call("POST", `${path}/test-cases/${good}/approve`, { note: "Well done" });
  await call("PATCH", `${path}/test-cases/${good}`, { instruction: "Look again." });
  await call("POST", `${path}/test-cases/${bad}/reject`, {});
  await call("DELETE", `${path}/test-cases/${bad}`);
  await call("POST", `${project.path}/tickets/bulk`, {
    action: "close",
    ticket_ids: [ticket.id],
    skip_pending_roles: true,
    skip_human_test_gate: true,
    resolution_note: "At last",
  });
  await call("PATCH", path, { status: "open", stage: "validation" });
  return ticket;
}

describe("the history of a ticket", () => {
  test("tells who changed what, when, from what and to what, oldest first", async () => {
    const ticket = await makeTicket(harness.now, project, { priority: "low" });
    const member = await makeMember(harness.now, project, "member");
    const key = await makeKey(harness.now, member);
    const patched = await call("PATCH", ticket.path, { priority: "high" }, key.token);
    const rows = await readHistory(harness.now, project, ticket);
    expect(rows[0]).toMatchObject({
      entity: "ticket",
      entity_id: ticket.id,
      action: "created",
      field: null,
      from: null,
      to: { priority: "low", stage: "backlog", status: "open" },
      actor: { kind: "user", id: project.admin.id, name: "Test User" },
    });
    expect(rows[1]).toEqual({
      id: expect.any(Number),
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      entity: "ticket",
      entity_id: ticket.id,
      action: "changed",
      field: "priority",
      from: "low",
      to: "high",
      actor: { kind: "key", id: member.id, name: "Test User", key_id: key.id },
      request_id: patched.headers.get("x-request-id"),
    });
    expect(rows).toHaveLength(2);
  });

  test("tells a key that may not read tasks nothing of theirs", async () => {
    const ticket = await makeTicket(harness.now, project, { roles: ["qa"] });
    await call("POST", `${ticket.path}/tasks`, { title: "A task", role: "qa" });
    const entitiesFor = async (scopes: string[]) => {
      const { token } = await makeKey(harness.now, project.admin, { scopes });
      const { body } = await harness.now.call("GET", `${ticket.path}/history`, { token });
      return body.history.map(({ entity }: { entity: string }) => entity);
    };
    expect(await entitiesFor(["tickets:read", "tasks:read"])).toEqual(["ticket", "role", "task"]);
    expect(await entitiesFor(["tickets:read"])).toEqual(["ticket", "role"]);
  });

  test("begins with the ticket, its roles after it", async () => {
    const ticket = await makeTicket(harness.now, project, {
      roles: ["qa", "backend"],
      idempotency_key: "first",
    });
    const rows = await readHistory(harness.now, project, ticket);
    expect(rows.map(({ entity, action }) => [entity, action])).toEqual([
      ["ticket", "created"],
      ["role", "created"],
      ["role", "created"],
    ]);
  });

  test("replayed gives what is there now, with the nulls inside JSON and times in the wire's form", async () => {
    const ticket = await liveThrough();
    const rows = await readHistory(harness.now, project, ticket);
    const things = replay(rows);
    expect(things).toEqual(await readThings(harness.now, project, ticket));
    expect(things[`ticket ${ticket.id}`]!.evidence).toEqual({ deep: { nothing: null } });
    const times = rows.filter(({ field, to }) => field?.endsWith("_at") && to !== null);
    expect(times.length).toBeGreaterThan(3);
    for (const { to } of times) expect(to).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  test("says nothing of leases", async () => {
    const ticket = await liveThrough();
    const rows = await readHistory(harness.now, project, ticket);
    expect(JSON.stringify(rows)).not.toContain("lease_expires_at");
  });

  test("comes in pages that make up the whole, also while it grows", async () => {
    const ticket = await liveThrough();
    const whole = await readHistory(harness.now, project, ticket);
    const paged: HistoryRow[] = [];
    let cursor: string | null = null;
    do {
      const page = await call("GET", `${ticket.path}/history?limit=7${cursor ? `&cursor=${cursor}` : ""}`);
      expect(page.body.history.length).toBeLessThanOrEqual(7);
      paged.push(...page.body.history);
      cursor = page.body.next_cursor;
      if (paged.length === 14) await call("PATCH", ticket.path, { title: "Changed meanwhile" });
    } while (cursor);
    expect(paged.slice(0, -1)).toEqual(whole);
    expect(paged.at(-1)).toMatchObject({ field: "title", to: "Changed meanwhile" });
  });

  test("comes in more pages where its values are large, and whole all the same", async () => {
    const ticket = await makeTicket(harness.now, project);
    for (let run = 0; run < 12; run++) {
      await call("PATCH", ticket.path, { evidence: { run, log: "x".repeat(250_000) } });
    }
    const [runs, lengths]: [number[], number[]] = [[], []];
    let cursor: string | null = null;
    do {
      const { body } = await call(
        "GET",
        `${ticket.path}/history?limit=200${cursor ? `&cursor=${cursor}` : ""}`,
      );
      runs.push(...body.history.filter(({ field }: HistoryRow) => field === "evidence").map(runOf));
      lengths.push(JSON.stringify(body).length);
      cursor = body.next_cursor;
    } while (cursor);
    expect(runs).toEqual(Array.from({ length: 12 }, (_, run) => run));
    expect(lengths.length).toBe(3);
    expect(Math.max(...lengths)).toBeLessThan(5_000_000);
  });

  test("refuses limits out of bounds and made-up cursors", async () => {
    const ticket = await makeTicket(harness.now, project);
    const made = (values: unknown) => btoa(JSON.stringify(values)).replaceAll("=", "");
    const wrong = [
      "limit=0",
      "limit=201",
      "limit=x",
      `cursor=${made(["a"])}`,
      `cursor=${made([1.5])}`,
      "cursor=%20",
    ];
    for (const query of wrong) {
      const { status, body } = await call("GET", `${ticket.path}/history?${query}`);
      expect([status, Object.keys(body.fieldErrors)], query).toEqual([400, [query.split("=")[0]]]);
    }
  });

  test("is 404 for an unknown ticket and one of another project", async () => {
    const other = await makeProject(harness.now);
    const foreign = await makeTicket(harness.now, other);
    for (const id of [uuid(), foreign.id]) {
      expect((await call("GET", `${project.path}/tickets/${id}/history`)).status).toBe(404);
    }
  });
});

test("no column of a table with history is forgotten: each is spelled out in its trigger, or named as no fact", async () => {
  const triggers = await harness.now.sql<{ name: string; source: string; columns: string[] }[]>`
    select p.proname as name, p.prosrc as source, array(
      select attname::text from pg_attribute where attrelid = t.tgrelid and attnum > 0 and not attisdropped) as columns
    from pg_trigger t join pg_proc p on p.oid = t.tgfoid where p.proname like 'record_history_of_%' and t.tgname like '%_update'`;
  expect(
    triggers.map(({ name }) => name).sort(),
    "give each table with history a line in src/core/parts.ts, and each part there `call track_history(…)`",
  ).toEqual(
    ["tickets", ...Object.values(PARTS).map(({ table }) => table)].map((table) =>
      `record_history_of_${table}`
    )
      .toSorted(),
  );
  const noFacts = [
    "id",
    "ticket_id",
    "project_id",
    "number",
    "priority_rank",
    "place",
    "rank",
    "ship_state",
    "reopened",
    "version",
    "created_at",
    "updated_at",
    "lease_expires_at",
    "event_at",
    "event_tie",
    "settled_tasks",
    "move_id",
    "mentions",
    "pending_questions",
    "human_questions",
    "open_blockers",
    "children_open",
    "children_total",
    "other_id",
    "duplicate_of",
    "other_project_id",
    "tasks_done",
    "tasks_total",
    "cases_approved",
    "cases_total",
    "agent_runs",
    "task_was",
    "answered_by_bot",
    "created_by",
    "created_with",
    "key_id",
    "by_bot",
    "imported",
    "answer_imported",
  ];
  for (const { name, source, columns } of triggers) {
    const forgotten = columns.filter((column) =>
      !noFacts.includes(column) && !new RegExp(`'${column}'[:,] case`).test(source)
    );
    expect(
      forgotten,
      `${name}: name these columns in \`call track_history(…)\`, or in noFacts (tests/tickets/history.test.ts)`,
    ).toEqual([]);
    expect(columns.length, `${name}: each field has a number of its own`).toBeLessThanOrEqual(64);
  }
});

test("a write without an author fails, so that no call can leave out history", async () => {
  const ticket = await makeTicket(harness.now, project);
  const { sql } = harness.now;
  const writes = [
    () => sql`update tickets set title = 'Nobody did it' where id = ${ticket.id}::uuid`,
    () =>
      sql`insert into ticket_roles (ticket_id, project_id, role) values (${ticket.id}::uuid, ${project.id}::uuid, 'qa')`,
  ];
  for (const write of writes) await expect(write()).rejects.toThrow("needs an actor");
});
