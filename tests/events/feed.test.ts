import { describe, expect, test } from "vitest";
import { ENTITIES } from "../../src/core/event_types.ts";
import { type Event, readEvents } from "../../src/core/events.ts";
import { makeTicket, useProject } from "../factories.ts";
import { openHarness, useHarness, useSecondHarness } from "../harness.ts";
import { until } from "../until.ts";

const harness = useHarness();
const other = useSecondHarness(harness);
const project = useProject(harness);

const never = new AbortController().signal;
const patient = { seconds: 30, signal: never };

function call(method: string, path: string, body: Record<string, unknown> = {}) {
  return harness.now.call(method, path, { token: project.admin.token, body });
}

/** All events of a ticket, once everything that was committed has its number. */
async function eventsOf(ticketId: string): Promise<Event[]> {
  const { sql } = harness.now;
  await harness.now.numbered();
  const events = await readEvents(sql, { after: 0, limit: 10_000 });
  return events.filter(({ ticket }) => ticket?.id === ticketId);
}

describe("every change of a ticket is an event", () => {
  test("with the ticket as the change left it", async () => {
    const { id, path } = await makeTicket(harness.now, project, { title: "First name" });
    await call("PATCH", path, { title: "Second name", priority: "high" });
    await call("PATCH", path, { status: "closed" });
    await call("PATCH", path, { stage: "backlog" });
    const events = await eventsOf(id);
    expect(events.map(({ type, changed, ticket }) => [type, changed.sort(), ticket!.title, ticket!.version]))
      .toEqual([
        ["ticket.created", [], "First name", 1],
        ["ticket.changed", ["priority", "title"], "Second name", 2],
        ["ticket.closed", ["closed_at", "resolution_type", "stage", "status"], "Second name", 3],
        ["ticket.reopened", ["closed_at", "resolution_type", "stage", "status"], "Second name", 4],
      ]);
    expect(events[2]!.ticket).toMatchObject({ stage: "live", status: "closed" });
    expect(events[0]).toMatchObject({
      project_id: project.id,
      entity: "ticket",
      entity_id: id,
      actor: { kind: "user", id: project.admin.id, name: "Test User" },
      request_id: expect.any(String),
      at: expect.stringMatching(/Z$/),
    });
  });

  test("and so is one of a part", async () => {
    const { id, path } = await makeTicket(harness.now, project, { roles: ["qa"] });
    const task = await call("POST", `${path}/tasks`, { title: "Look", role: "qa" });
    await call("PATCH", `${path}/tasks/${task.body.id}`, { status: "blocked", blocking_reason: "No key" });
    const testCase = await call("POST", `${path}/test-cases`, { title: "Try", instruction: "Look." });
    await call("POST", `${path}/test-cases/${testCase.body.id}/approve`);
    expect((await eventsOf(id)).map(({ type, entity_id }) => [type, entity_id])).toEqual([
      ["ticket.created", id],
      ["role.created", "qa"],
      ["task.created", task.body.id],
      ["task.blocked", task.body.id],
      ["test_case.created", testCase.body.id],
      ["test_case.approved", testCase.body.id],
    ]);
  });

  test("numbers have no gaps, also when changes are rolled back", async () => {
    await expect(harness.now.sql.begin(async (tx) => {
      await tx`select set_config('handoff.actor', '{"kind":"job","id":"test"}', true)`;
      await tx`update tickets set version = version + 1, title = title || '!' where project_id = ${project.id}::uuid`;
      throw new Error("no");
    })).rejects.toThrow("no");
    const { id } = await makeTicket(harness.now, project);
    await eventsOf(id);
    const seqs = (await readEvents(harness.now.sql, { after: 0, limit: 10_000 })).map(({ seq }) => seq);
    expect(seqs).toEqual(seqs.map((_, index) => index + 1));
  });

  test("each kind of row in history has a line in the table of types", async () => {
    const tracked = await harness.now.sql<{ entity: string | null }[]>`
      select substring(prosrc from 'select r\\.project_id, r\\.\\w+, ''(\\w+)''') as entity
      from pg_proc where proname like 'record\\_history\\_of\\_%'`;
    expect(tracked.length).toBeGreaterThan(7);
    expect(
      tracked.map(({ entity }) => entity).filter((entity) => !(entity! in ENTITIES)),
      "give a part of a ticket a line in src/core/parts.ts, and any other thing one in src/core/event_types.ts",
    ).toEqual([]);
  });
});

describe("waiting for an event", () => {
  test("ends with the first that matches", async () => {
    const { feed } = harness.now.services;
    const waited = feed.wait(({ ticket }) => ticket?.title === "Awaited title", patient);
    await makeTicket(harness.now, project);
    await makeTicket(harness.now, project, { title: "Awaited title" });
    expect(await waited).toMatchObject({ type: "ticket.created", ticket: { title: "Awaited title" } });
    expect(feed.size).toBe(0);
  });

  test("misses nothing that was committed after the watch began", async () => {
    const { id, path } = await makeTicket(harness.now, project);
    using watch = harness.now.services.feed.watch(({ ticket, type }) =>
      ticket?.id === id && type === "ticket.changed"
    );
    await call("PATCH", path, { priority: "low" });
    await eventsOf(id);
    expect(await watch.next(patient)).toMatchObject({ changed: ["priority"] });
    expect(await watch.next({ seconds: 0, signal: never })).toBeNull();
  });

  test("hears of what another process commits", async () => {
    const { id, path } = await makeTicket(harness.now, project);
    const waited = other.now.services.feed.wait(
      ({ ticket, type }) => ticket?.id === id && type === "ticket.changed",
      patient,
    );
    await call("PATCH", path, { priority: "low" });
    expect(await waited).toMatchObject({ changed: ["priority"] });
  });

  test("ends with null when the time is over or the caller has gone", async () => {
    const { feed } = harness.now.services;
    const caller = new AbortController();
    const left = feed.wait(() => false, { seconds: 30, signal: caller.signal });
    expect(await feed.wait(() => false, { seconds: 0.01, signal: never })).toBeNull();
    caller.abort();
    expect(await left).toBeNull();
    expect(await feed.wait(() => false, { seconds: 30, signal: caller.signal })).toBeNull();
    expect(feed.size).toBe(0);
  });

  test("costs a thousand waiters no more statements than one", async () => {
    const { feed } = harness.now.services;
    const statements = async (waiters: number) => {
      const { id, path } = await makeTicket(harness.now, project);
      await eventsOf(id);
      return await harness.now.count(async () => {
        const waits = Array.from(
          { length: waiters },
          () => feed.wait(({ ticket, type }) => ticket?.id === id && type === "ticket.changed", patient),
        );
        await call("PATCH", path, { priority: "low" });
        expect(await Promise.all(waits)).toEqual(
          Array(waiters).fill(expect.objectContaining({ entity_id: id })),
        );
      });
    };
    expect(await statements(1000)).toBe(await statements(1));
  });

  test("ends with null when the service drains, also for who comes later", async () => {
    const draining = await openHarness();
    const { feed, signal } = draining.services;
    const waited = feed.wait(() => false, patient);
    await draining.close();
    expect(await waited).toBeNull();
    expect(signal.aborted).toBe(true);
    expect(await feed.wait(() => false, patient)).toBeNull();
  });
});

test("the outbox doesn't grow with the number of changes", async () => {
  const busy = await openHarness();
  const { sql } = busy;
  const pages = async () => {
    const [{ size }] = await sql<[{ size: number }]>`
      select pg_relation_size('event_outbox') / 8192 as size`;
    return Number(size);
  };
  const change = async () => {
    await sql`
      insert into event_outbox (history_id, project_id, title)
      select n, gen_random_uuid(), 'A ticket of a usual length' from generate_series(1, 5000) n`;
    const most = await pages();
    await until(async () => (await sql`select from event_outbox limit 1`).length === 0);
    return most;
  };
  const first = await change();
  for (let round = 0; round < 8; round++) await change();
  expect(await change()).toBeLessThan(4 * first);
  await busy.close();
});

test("an outbox that was large gives its pages back once it is empty", async () => {
  const busy = await openHarness();
  const { sql } = busy;
  await sql`
    insert into event_outbox (history_id, project_id, title)
    select n, gen_random_uuid(), 'A ticket of a usual length' from generate_series(1, 30000) n`;
  await until(async () => {
    const [{ size }] = await sql<[{ size: number }]>`select pg_relation_size('event_outbox') as size`;
    return size < 100_000;
  }, 200);
  await busy.close();
});
