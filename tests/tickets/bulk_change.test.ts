import { beforeAll, describe, expect, test } from "vitest";
import {
  makeKey,
  makeMember,
  makeProject,
  makeTicket,
  type TestProject,
  type TestTicket,
} from "../factories.ts";
import { useHarness } from "../harness.ts";

const harness = useHarness();
let project: TestProject;

beforeAll(async () => {
  project = await makeProject(harness.now);
  for (const name of ["ui", "needs design"]) await call("POST", `${project.path}/labels`, { name });
});

async function call(method: string, path: string, body?: unknown, token = project.admin.token) {
  return await harness.now.call(method, path, { token, body });
}

async function change(tickets: readonly TestTicket[], set: object, more: object = {}) {
  return await call("POST", `${project.path}/tickets/bulk`, {
    action: "change",
    ticket_ids: tickets.map(({ id }) => id),
    set,
    ...more,
  });
}

async function some(count: number, fields: Record<string, unknown> = {}): Promise<TestTicket[]> {
  return await Promise.all(Array.from({ length: count }, () => makeTicket(harness.now, project, fields)));
}

async function read({ path }: TestTicket) {
  return (await call("GET", path)).body;
}

describe("a change of many tickets", () => {
  test("sets every field of it, and leaves the others", async () => {
    const tickets = await some(3, { labels: ["ui"], estimate: 3 });
    const assignee = await makeMember(harness.now, project, "member");
    const { body: milestone } = await call("POST", `${project.path}/milestones`, { name: "Beta" });
    const [parent] = await some(1);
    const set = {
      priority: "high",
      blocking: true,
      assignee_user_id: assignee.id,
      add_labels: ["Needs Design"],
      remove_labels: ["UI"],
      due_on: "2026-12-24",
      milestone_id: milestone.id,
      parent_id: parent!.ref,
    };
    const dry = await change(tickets, set, { dry_run: true });
    expect(dry.body).toMatchObject({ updated: 3, errors: [] });
    expect(await read(tickets[0]!)).toMatchObject({ version: 1, due_on: null });
    const { status, body } = await change(tickets, set);
    expect([status, body.updated, body.errors]).toEqual([200, 3, []]);
    for (const ticket of tickets) {
      expect(await read(ticket)).toMatchObject({
        priority: "high",
        blocking: true,
        assignee: { name: expect.any(String) },
        labels: [{ name: "needs design" }],
        due_on: "2026-12-24",
        milestone_name: "Beta",
        parent_ref: parent!.ref,
        estimate: 3,
        version: 2,
      });
    }
    expect((await read(parent!)).children).toEqual({ open: 3, total: 3 });
    // A ticket that is so already stays as it is.
    await change(tickets, set);
    expect((await read(tickets[0]!)).version).toBe(2);
    const none = { assignee_user_id: null, remove_labels: ["needs design"], due_on: null, parent_id: null };
    expect((await change(tickets, none)).body.updated).toBe(3);
    expect(await read(tickets[0]!)).toMatchObject({
      assignee: null,
      labels: [],
      due_on: null,
      milestone_name: "Beta",
      parent_ref: null,
      version: 3,
    });
    expect((await read(parent!)).children).toEqual({ open: 0, total: 0 });
    const { body: { history } } = await call("GET", `${tickets[0]!.path}/history`);
    const fields = history.map(({ field }: { field: string | null }) => field);
    for (const field of ["priority", "due_on", "labels", "parent_id"]) expect(fields).toContain(field);
    expect(fields).not.toContain("estimate");
  });

  test("decides each on its own, and tells why one stays as it is", async () => {
    const [fits, late, above] = await some(3);
    await call("PATCH", late!.path, { start_on: "2026-12-20" });
    const missing = { id: crypto.randomUUID() } as TestTicket;
    const days = await change([fits!, late!, missing], { due_on: "2026-12-10" });
    expect(days.body).toMatchObject({
      updated: 1,
      errors: [{ id: late!.id, code: "invalid_request" }, { id: missing.id, code: "not_found" }],
      results: [{ ok: true }, { ok: false, ticket_ref: late!.ref }, { ok: false, ticket_ref: null }],
    });
    await call("PATCH", fits!.path, { parent_id: above!.id });
    const rings = await change([above!, late!, fits!], { parent_id: fits!.id });
    expect(rings.body).toMatchObject({ updated: 1, errors: [{ id: above!.id }, { id: fits!.id }] });
    expect(await read(late!)).toMatchObject({ parent_ref: fits!.ref, due_on: null });
    expect(await read(fits!)).toMatchObject({ parent_ref: above!.ref, children: { open: 1, total: 1 } });
  });

  test("is refused as a whole for what no ticket can have, and for fields of other actions", async () => {
    const tickets = await some(1);
    const viewer = await makeMember(harness.now, project, "viewer");
    for (
      const [set, field] of [
        [{ add_labels: ["needs desing"] }, "set.add_labels.0"],
        [{ assignee_user_id: viewer.id }, "assignee_user_id"],
        [{ milestone_id: crypto.randomUUID() }, "milestone_id"],
        [{ parent_id: `${project.key}-99999` }, "set.parent_id"],
        [{ due_on: "2026-02-30" }, "set.due_on"],
        [{}, "set"],
      ] as const
    ) {
      const { status, body } = await change(tickets, set);
      expect([status, Object.keys(body.fieldErrors ?? {})], JSON.stringify(body)).toEqual([400, [field]]);
    }
    for (
      const [body, field] of [
        [{ action: "change", set: { blocking: true } }, "ticket_ids"],
        [
          { action: "change", set: { blocking: true }, ticket_ids: [tickets[0]!.id], query: "x" },
          "ticket_ids",
        ],
        [{ action: "close", set: { blocking: true }, ticket_ids: [tickets[0]!.id] }, "set"],
        [{ action: "move", stage: "validation", query: "x" }, "query"],
        [{ action: "close" }, "ticket_ids"],
      ] as const
    ) {
      const answer = await call("POST", `${project.path}/tickets/bulk`, body);
      expect([answer.status, Object.keys(answer.body.fieldErrors)], JSON.stringify(body)).toEqual([400, [
        field,
      ]]);
    }
    const refused = await call("POST", `${project.path}/tickets/bulk`, {
      action: "change",
      ticket_ids: [tickets[0]!.id],
      set: { blocking: true },
    }, viewer.token);
    expect(refused.status).toBe(403);
    expect(await read(tickets[0]!)).toMatchObject({ version: 1 });
  });

  test("takes the tickets that a search finds", async () => {
    const found = await some(2, { title: "A quokka in the attic" });
    const [other] = await some(1);
    const { body } = await call("POST", `${project.path}/tickets/bulk`, {
      action: "change",
      query: "quokka attic",
      set: { priority: "low" },
    });
    expect(body.results.map(({ id }: { id: string }) => id).toSorted()).toEqual(
      found.map(({ id }) => id).toSorted(),
    );
    expect(await read(found[1]!)).toMatchObject({ priority: "low", version: 2 });
    expect((await read(other!)).version).toBe(1);
  });

  test("keeps what two callers add at the same moment, and bots may change, too", async () => {
    const tickets = await some(5);
    const agent = await makeKey(harness.now, project.admin);
    const answers = await Promise.all([
      change(tickets, { add_labels: ["ui"] }),
      change(tickets.toReversed(), { add_labels: ["needs design"] }),
      call("POST", `${project.path}/tickets/bulk`, {
        action: "change",
        ticket_ids: tickets.map(({ ref }) => ref),
        set: { priority: "low" },
      }, agent.token),
    ]);
    expect(answers.map(({ body }) => body.updated)).toEqual([5, 5, 5]);
    for (const ticket of tickets) {
      const { labels, priority } = await read(ticket);
      expect([labels.length, priority]).toEqual([2, "low"]);
    }
  });

  test("is taken back ticket by ticket, unless somebody has changed one since", async () => {
    const tickets = await some(3, { labels: ["ui"], priority: "high" });
    const { body } = await change(tickets, { priority: "low", add_labels: ["needs design"] });
    expect(body.results.map(({ version }: { version: number }) => version)).toEqual([2, 2, 2]);
    await call("PATCH", tickets[1]!.path, { priority: "medium" });
    const versions = Object.fromEntries(tickets.map(({ id }) => [id, 2]));
    const set = { priority: "high", remove_labels: ["needs design"] };
    const back = await change(tickets, set, { versions });
    expect(back.body).toMatchObject({
      updated: 2,
      errors: [{ id: tickets[1]!.id, code: "version_conflict" }],
      results: [{ version: 3 }, { version: 3 }, { version: 3 }],
    });
    expect(await read(tickets[0]!)).toMatchObject({ priority: "high", labels: [{ name: "ui" }] });
    expect(await read(tickets[1]!)).toMatchObject({ priority: "medium", labels: [{}, {}] });
    expect((await change(tickets, set, { versions })).body.updated).toBe(0);
    // The reasons of a new parent are told only about tickets that could get it.
    const parent = { parent_id: tickets[0]!.id };
    const stale = await change(tickets, parent, { versions: { [tickets[0]!.id]: 2, [tickets[1]!.id]: 3 } });
    expect(stale.body).toMatchObject({
      updated: 2,
      errors: [{ id: tickets[0]!.id, code: "version_conflict" }],
    });
  });

  test("costs as many statements for 50 tickets as for one", async () => {
    const [parent] = await some(1);
    const set = { priority: "low", add_labels: ["ui"], due_on: "2026-12-30", parent_id: parent!.id };
    const counts: number[] = [];
    for (const size of [1, 50]) {
      const tickets = await some(size);
      await change(tickets, { blocking: true });
      const versions = Object.fromEntries(tickets.map(({ id }) => [id, 2]));
      counts.push(await harness.now.count(() => change(tickets, set, { versions })));
    }
    expect(counts[1]).toBe(counts[0]);
  });
});
