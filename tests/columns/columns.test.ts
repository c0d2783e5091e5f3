import { beforeEach, describe, expect, test } from "vitest";
import { makeMember, makeProject, makeTicket, type TestProject, ticketInput } from "../factories.ts";
import { useHarness } from "../harness.ts";

const harness = useHarness();
let project: TestProject;
beforeEach(async () => void (project = await makeProject(harness.now)));

function call(method: string, path: string, body?: unknown, { token }: { token: string } = project.admin) {
  return harness.now.call(method, path, { token, body });
}

async function column(stage: string, name: string, more: Record<string, unknown> = {}): Promise<string> {
  const { status, body } = await call("POST", `${project.path}/columns`, { stage, name, ...more });
  expect(status, JSON.stringify(body)).toBe(201);
  return body.id;
}

async function columns(query = "") {
  return (await call("GET", `${project.path}/columns${query}`)).body.columns;
}

async function read({ path }: { path: string }) {
  return (await call("GET", path)).body;
}

async function fieldsChanged({ path }: { path: string }): Promise<[string, unknown, unknown][]> {
  const { body } = await call("GET", `${path}/history`);
  return body.history.filter(({ field }: { field: string | null }) => field !== null)
    .map(({ field, from, to }: Record<string, string>) => [field, from, to]);
}

describe("columns", () => {
  test("are listed by stage and place, renamed, limited, put into order and deleted by project admins", async () => {
    const [review, doing] = [
      await column("in_progress", "In review", { wip_limit: 2 }),
      await column("in_progress", "Doing"),
    ];
    const next = await column("backlog", "Next");
    const names = async () => (await columns()).map(({ name }: { name: string }) => name);
    expect(await names()).toEqual(["Next", "In review", "Doing"]);
    const reordered = await call("POST", `${project.path}/columns/reorder`, {
      stage: "in_progress",
      column_ids: [doing, review],
    });
    expect([reordered.status, await names()]).toEqual([200, ["Next", "Doing", "In review"]]);
    const patched = await call("PATCH", `${project.path}/columns/${review}`, {
      name: "Review",
      wip_limit: null,
    });
    expect(patched.body).toMatchObject({ name: "Review", wip_limit: null, stage: "in_progress" });
    expect((await call("DELETE", `${project.path}/columns/${next}`)).status).toBe(204);
    expect(await names()).toEqual(["Doing", "Review"]);
    expect((await columns("?deleted=true"))[0]).toMatchObject({
      name: "Next",
      deleted_at: expect.any(String),
    });
    for (const act of ["created", "reordered", "updated", "deleted"]) {
      const { body: { audit } } = await call("GET", `/admin/audit?action=column.${act}`);
      expect(audit.length, act).toBe(act === "created" ? 3 : 1);
    }
  });

  test("tell readers of events what was done to each of them", async () => {
    const [first, second] = [await column("backlog", "First"), await column("backlog", "Second")];
    await call("PATCH", `${project.path}/columns/${second}`, { wip_limit: 3 });
    const column_ids = [second, first];
    await call("POST", `${project.path}/columns/reorder`, { stage: "backlog", column_ids });
    await call("POST", `${project.path}/columns/reorder`, { stage: "backlog", column_ids });
    await call("DELETE", `${project.path}/columns/${first}`);
    await harness.now.numbered();
    const { body: { events } } = await call("GET", "/events?after=0&limit=200&types=column.*");
    const told = events.filter(({ project_id }: { project_id: string }) => project_id === project.id);
    expect(told.map(({ type, entity_id }: Record<string, string>) => `${type} ${entity_id}`)).toEqual([
      `column.created ${first}`,
      `column.created ${second}`,
      `column.changed ${second}`,
      ...[first, second].toSorted().map((id) => `column.changed ${id}`),
      `column.deleted ${first}`,
    ]);
    expect(told[0]).toMatchObject({ ticket: null, actor: { id: project.admin.id } });
  });

  test("are refused with a name or limit out of bounds, twice by one name in a stage, in live, and past 50", async () => {
    const { path } = project;
    for (
      const [body, field] of [
        [{ stage: "live", name: "Done" }, "stage"],
        [{ stage: "backlog", name: "" }, "name"],
        [{ stage: "backlog", name: "x".repeat(41) }, "name"],
        [{ stage: "backlog", name: "Next", wip_limit: 0 }, "wip_limit"],
        [{ stage: "backlog", name: "Next", wip_limit: 1000 }, "wip_limit"],
        [{ stage: "backlog", name: "Next", wip_limit: 1.5 }, "wip_limit"],
      ] as const
    ) {
      const { status, body: { fieldErrors } } = await call("POST", `${path}/columns`, body);
      expect([status, Object.keys(fieldErrors)]).toEqual([400, [field]]);
    }
    const first = await column("backlog", "Next");
    expect((await call("POST", `${path}/columns`, { stage: "backlog", name: " ＮＥＸＴ " })).status).toBe(
      409,
    );
    await column("up_next", "Next");
    const order = (stage: string, column_ids: string[]) =>
      call("POST", `${path}/columns/reorder`, { stage, column_ids });
    const second = await column("backlog", "Later");
    expect((await order("backlog", [first])).body.fieldErrors.column_ids).toContain(second);
    expect((await order("up_next", [first])).status).toBe(400);
    expect((await order("backlog", [first, first, second])).status).toBe(400);
    const made = await Promise.all(
      Array.from(
        { length: 50 },
        (_, at) => call("POST", `${path}/columns`, { stage: "validation", name: `Column ${at}` }),
      ),
    );
    expect(made.filter(({ status }) => status === 201)).toHaveLength(47);
    expect(made.filter(({ status }) => status === 409)).toHaveLength(3);
    expect(await columns()).toHaveLength(50);
  });

  test("are read by viewers, and written by admins of the project alone", async () => {
    const id = await column("backlog", "Next");
    const { path } = project;
    const calls: [string, string, unknown][] = [
      ["POST", `${path}/columns`, { stage: "backlog", name: "Mine" }],
      ["PATCH", `${path}/columns/${id}`, { name: "Mine" }],
      ["POST", `${path}/columns/reorder`, { stage: "backlog", column_ids: [id] }],
      ["DELETE", `${path}/columns/${id}`, undefined],
    ];
    for (const role of ["viewer", "member"] as const) {
      const caller = await makeMember(harness.now, project, role);
      expect((await call("GET", `${path}/columns`, undefined, caller)).body.columns).toHaveLength(1);
      for (const [method, at, body] of calls) {
        expect((await call(method, at, body, caller)).status, `${role} ${method} ${at}`).toBe(403);
      }
    }
    const other = await makeProject(harness.now);
    for (const [method, at, body] of calls.slice(1)) {
      const there = await call(method, at.replace(path, other.path), body, other.admin);
      expect([400, 404], `${method} ${at}`).toContain(there.status);
    }
  });
});

describe("a ticket's column", () => {
  test("is the first one of each stage into which it comes, by every way to change a stage", async () => {
    const ids: Record<string, string> = {};
    for (const stage of ["backlog", "up_next", "in_progress", "validation"]) {
      await column(stage, "Second");
      const first = await column(stage, "First");
      const own = (await columns()).filter((one: { stage: string }) => one.stage === stage);
      await call("POST", `${project.path}/columns/reorder`, {
        stage,
        column_ids: own.map(({ id }: { id: string }) => id).toReversed(),
      });
      ids[stage] = first;
    }
    const ticket = await makeTicket(harness.now, project);
    expect((await read(ticket)).column_id).toBe(ids.backlog);
    for (const stage of ["up_next", "validation", "in_progress"]) {
      expect((await call("PATCH", ticket.path, { stage })).body).toMatchObject({
        stage,
        column_id: ids[stage],
      });
    }
    const bulk = (action: string, more: object = {}) =>
      call("POST", `${project.path}/tickets/bulk`, { action, ticket_ids: [ticket.id], ...more });
    await bulk("move", { stage: "validation" });
    expect((await read(ticket)).column_id).toBe(ids.validation);
    await bulk("close");
    expect(await read(ticket)).toMatchObject({ stage: "live", column_id: null });
    const reopened = await call("PATCH", ticket.path, { status: "open" });
    expect(reopened.body).toMatchObject({ stage: "backlog", column_id: ids.backlog });
    const { body: { tickets } } = await call("GET", `${project.path}/tickets`);
    expect(tickets[0]).toMatchObject({ id: ticket.id, column_id: ids.backlog });
  });

  test("is named by a creation, a change and a change of stage, passes no gate, and is told in the history", async () => {
    const [first, second] = [await column("backlog", "First"), await column("backlog", "Second")];
    const review = await column("in_progress", "Review");
    const made = await makeTicket(harness.now, project, { column_id: second });
    expect((await read(made)).column_id).toBe(second);
    const moved = await call("PATCH", made.path, { column_id: first });
    expect(moved.body).toMatchObject({ column_id: first, version: 2 });
    expect((await call("PATCH", made.path, { column_id: first })).body.version).toBe(2);
    expect((await call("PATCH", made.path, { column_id: second })).body.version).toBe(3);
    expect((await call("PATCH", made.path, { column_id: null })).body.column_id).toBe(first);
    await column("in_progress", "Later");
    const started = await call("PATCH", made.path, { stage: "in_progress", column_id: review });
    expect(started.body).toMatchObject({ stage: "in_progress", column_id: review });
    expect((await fieldsChanged(made)).filter(([field]) => field === "column_id")).toEqual([
      ["column_id", second, first],
      ["column_id", first, second],
      ["column_id", second, first],
      ["column_id", first, review],
    ]);
    await harness.now.numbered();
    const { body: { events } } = await call("GET", `/events?after=0&limit=200`);
    expect(events.at(-1)).toMatchObject({
      type: "ticket.changed",
      changed: expect.arrayContaining(["column_id"]),
    });
  });

  test("is of its own stage, which the call's field is refused for", async () => {
    const [here, there] = [await column("backlog", "Here"), await column("validation", "There")];
    const other = await makeProject(harness.now);
    const { body: foreign } = await call(
      "POST",
      `${other.path}/columns`,
      { stage: "backlog", name: "No" },
      other.admin,
    );
    const { path } = await makeTicket(harness.now, project);
    for (
      const [method, at, body] of [
        ["PATCH", path, { column_id: there }],
        ["PATCH", path, { column_id: foreign.id }],
        ["PATCH", path, { stage: "validation", column_id: here }],
        ["PATCH", path, { stage: "live", column_id: here }],
        ["POST", `${project.path}/tickets`, ticketInput({ column_id: there })],
      ] as const
    ) {
      const { status, body: answer } = await call(method, at, body);
      expect([status, Object.keys(answer.fieldErrors ?? {})], JSON.stringify(body)).toEqual([400, [
        "column_id",
      ]]);
    }
    expect(await read({ path })).toMatchObject({ stage: "backlog", column_id: here, version: 1 });
  });

  test("is set for many tickets at once, each decided on its own", async () => {
    const [first, second] = [
      await column("backlog", "First"),
      await column("backlog", "Second", { wip_limit: 1 }),
    ];
    const [one, two, other] = [
      await makeTicket(harness.now, project),
      await makeTicket(harness.now, project),
      await makeTicket(harness.now, project),
    ];
    await call("PATCH", other.path, { stage: "validation" });
    const set = (column_id: string | null, more: object = {}) =>
      call("POST", `${project.path}/tickets/bulk`, {
        action: "change",
        ticket_ids: [one.id, two.id, other.id],
        set: { column_id },
        ...more,
      });
    expect((await set(second, { dry_run: true })).body).not.toHaveProperty("over_limit");
    const { body } = await set(second);
    expect(body).toMatchObject({
      updated: 2,
      errors: [{ id: other.id, code: "invalid_request" }],
      over_limit: [second],
    });
    expect((await read(one)).column_id).toBe(second);
    expect((await set(null)).body).toMatchObject({ updated: 3, errors: [] });
    expect(await read(one)).toMatchObject({ column_id: first, version: 3 });
    expect(await read(other)).toMatchObject({ column_id: null, version: 2 });
    expect((await set(crypto.randomUUID())).body.fieldErrors).toHaveProperty("set.column_id");
  });

  test("is counted, and a limit is told and never refused", async () => {
    const waiting = await makeTicket(harness.now, project);
    const first = await column("backlog", "First", { wip_limit: 1 });
    const second = await column("backlog", "Second");
    expect(await columns()).toMatchObject([{ open_tickets: 1, over_limit: false }, { open_tickets: 0 }]);
    const made = await makeTicket(harness.now, project, { column_id: second });
    const moved = await call("PATCH", made.path, { column_id: first });
    expect(moved.body).toMatchObject({ column_id: first, over_limit: true });
    expect(await columns()).toMatchObject([{ open_tickets: 2, over_limit: true }, { open_tickets: 0 }]);
    expect((await call("PATCH", made.path, { priority: "low" })).body).not.toHaveProperty("over_limit");
    const away = await call("PATCH", waiting.path, { stage: "validation" });
    expect(away.body).not.toHaveProperty("over_limit");
    const back = await call("POST", `${project.path}/tickets/bulk`, {
      action: "move",
      ticket_ids: [waiting.id],
      stage: "backlog",
    });
    expect(back.body.over_limit).toEqual([first]);
  });

  test("is the oldest one for tickets that stood in the stage before, whom the first column doesn't write", async () => {
    const before = await makeTicket(harness.now, project);
    expect((await read(before)).column_id).toBeNull();
    const oldest = await column("backlog", "Oldest");
    const later = await column("backlog", "Later");
    await call("POST", `${project.path}/columns/reorder`, { stage: "backlog", column_ids: [later, oldest] });
    expect(await read(before)).toMatchObject({ column_id: oldest, version: 1 });
    expect((await call("PATCH", before.path, { column_id: oldest })).body.version).toBe(1);
    expect((await call("PATCH", before.path, { priority: "low" })).body).toMatchObject({ column_id: oldest });
    // A ticket that comes later lands in the first one.
    expect((await read(await makeTicket(harness.now, project))).column_id).toBe(later);
    await call("DELETE", `${project.path}/columns/${oldest}`);
    expect(await read(before)).toMatchObject({ column_id: later, version: 3 });
    await call("DELETE", `${project.path}/columns/${later}`);
    expect(await read(before)).toMatchObject({ column_id: null, version: 4 });
    expect((await fieldsChanged(before)).filter(([field]) => field === "column_id")).toEqual([
      ["column_id", null, later],
      ["column_id", later, null],
    ]);
    expect((await read(await makeTicket(harness.now, project))).column_id).toBeNull();
  });

  test("is never a deleted one, even if a call moves it there at the same moment", async () => {
    for (let round = 0; round < 6; round++) {
      const [keeps, goes] = [
        await column("up_next", `Keeps ${round}`),
        await column("up_next", `Goes ${round}`),
      ];
      const tickets = await Promise.all(Array.from({ length: 6 }, () => makeTicket(harness.now, project)));
      await call("PATCH", tickets[5]!.path, { stage: "up_next", column_id: goes });
      const answers = await Promise.all([
        ...tickets.slice(0, 3).map(({ path }) => call("PATCH", path, { stage: "up_next", column_id: goes })),
        call("POST", `${project.path}/tickets/bulk`, {
          action: "move",
          stage: "up_next",
          ticket_ids: tickets.slice(3).map(({ id }) => id),
        }),
        call("DELETE", `${project.path}/columns/${round % 2 ? goes : keeps}`),
        call("POST", `${project.path}/tickets`, ticketInput()),
        call("POST", `${project.path}/tickets/bulk`, {
          action: "change",
          set: { column_id: goes },
          ticket_ids: tickets.map(({ id }) => id),
        }),
      ]);
      for (const { status, body } of answers) {
        expect([200, 201, 204, 400], JSON.stringify(body)).toContain(status);
      }
      const deleted = await harness.now.sql`
        select from tickets t join board_columns c on c.id = t.column_id where c.deleted_at is not null`;
      expect(deleted.count).toBe(0);
      for (const { id } of await columns()) await call("DELETE", `${project.path}/columns/${id}`);
    }
  });

  test("costs a creation, a list and a move no statement more", async () => {
    const count = (work: () => Promise<unknown>) => harness.now.count(work);
    const costs = async () => {
      const ticket = await makeTicket(harness.now, project);
      // The service remembers a caller's access for a moment.
      harness.now.services.access.clear();
      await call("GET", `${project.path}/tickets`);
      return [
        await count(() => call("POST", `${project.path}/tickets`, ticketInput())),
        await count(() => call("GET", `${project.path}/tickets`)),
        await count(() => call("PATCH", ticket.path, { stage: "validation" })),
      ];
    };
    const without = await costs();
    expect(without.slice(0, 2)).toEqual([1, 1]);
    await column("backlog", "First");
    expect(await costs()).toEqual(without);
  });
});

test("an export brings columns by their names, and a second export is equal", async () => {
  const [, review] = [
    await column("in_progress", "Doing"),
    await column("in_progress", "Review", { wip_limit: 3 }),
  ];
  const first = await makeTicket(harness.now, project);
  await makeTicket(harness.now, project);
  await call("PATCH", first.path, { stage: "in_progress", column_id: review });
  const exported = async ({ path, admin }: TestProject) => {
    const { body } = await call("GET", `${path}/export`, undefined, admin);
    return body.records.map(({ history: _, project_keys: __, ...record }: Record<string, unknown>) => record);
  };
  const records = (await exported(project)).map((record: object) => ({ ...record, id: crypto.randomUUID() }));
  expect(records[0].column).toEqual({ name: "Review", wip_limit: 3, position: 2 });
  const there = await makeProject(harness.now, { admin: project.admin });
  const imported = await call("POST", `${there.path}/import`, { records });
  expect(imported.body).toEqual({ imported: 2, existing: 0 });
  expect(await exported(there)).toEqual(records);
  const live = { ...records[0], column: { name: "x", wip_limit: null, position: 1 }, stage: "live" };
  expect((await call("POST", `${there.path}/import`, { records: [live] })).body.fieldErrors).toHaveProperty(
    "records.0.column",
  );
});
