import { describe, expect, test } from "vitest";
import type { Event } from "../../src/core/events.ts";
import { makeKey, makeMember, makeProject, makeTicket, makeUser } from "../factories.ts";
import { useEvents } from "./_world.ts";

const { call, harness, project, settled } = useEvents();

async function read(query: string, token = project.admin.token) {
  return await harness.now.call("GET", `/events?${query}`, { token });
}

const types = ({ body }: Awaited<ReturnType<typeof read>>) =>
  body.events.map(({ type }: { type: string }) => type);

describe("a page of events", () => {
  test("goes on where the one before ended, without a gap", async () => {
    const after = await settled();
    const ticket = await makeTicket(harness.now, project, { roles: ["qa"] });
    await call("PATCH", ticket.path, { priority: "high" });
    const last = await settled();
    const first = await read(`after=${after}&limit=2`);
    expect(first.body).toMatchObject({ next_after: after + 2, has_more: true, resync: false });
    expect(types(first)).toEqual(["ticket.created", "role.created"]);
    const second = await read(`after=${first.body.next_after}&limit=2`);
    expect(types(second)).toEqual(["ticket.changed"]);
    expect(second.body).toMatchObject({ next_after: last, has_more: false });
    expect(second.body.events[0]).toMatchObject({
      seq: last,
      changed: ["priority"],
      ticket: { id: ticket.id },
    });
  });

  test("without a number begins now, and from 0 with the oldest", async () => {
    const last = await settled();
    expect((await read("")).body).toEqual({ events: [], next_after: last, has_more: false, resync: false });
    expect((await read("after=0&limit=1")).body.events[0].seq).toBeGreaterThan(0);
  });

  test("has only the types that are asked for", async () => {
    const after = await settled();
    const { path } = await makeTicket(harness.now, project, { roles: ["qa"] });
    await call("POST", `${path}/tasks`, { title: "Look", role: "qa" });
    await call("PATCH", path, { status: "closed", skip_pending_roles: true });
    const last = await settled();
    expect(types(await read(`after=${after}&types=task.*`))).toEqual(["task.created"]);
    expect(types(await read(`after=${after}&types=ticket.created,role.*`))).toEqual([
      "ticket.created",
      "role.created",
    ]);
    expect(types(await read(`after=${after}&types=ticket.created&types=task.created`))).toEqual([
      "ticket.created",
      "task.created",
    ]);
    expect((await read(`after=${after}&types=duplicate.created`)).body).toMatchObject({
      events: [],
      next_after: last,
    });
  });

  test("tells who asks for something older than is kept, or newer than there is, to read the state again", async () => {
    const last = await settled();
    await harness.now.sql`delete from events where seq <= 2`;
    for (const after of [1, last + 1, 2 ** 40]) {
      expect((await read(`after=${after}`)).body).toEqual({
        events: [],
        next_after: last,
        has_more: false,
        resync: true,
      });
    }
    expect((await read("after=2&limit=1")).body.events[0].seq).toBe(3);
    expect((await read("after=0&limit=1")).body.events[0].seq).toBe(3);
  });

  test.each([
    ["after=-1", "after"],
    ["after=abc", "after"],
    ["after=1.5", "after"],
    ["after=99999999999999999999", "after"],
    ["wait=51", "wait"],
    ["limit=0", "limit"],
    ["limit=501", "limit"],
    ["types=ticket.exploded", "types.0"],
    ["types=", "types.0"],
    ["project_id=1", "project_id"],
    ["before=1", "before"],
  ])("%s is refused by its name", async (query, path) => {
    const { status, body } = await read(query);
    expect([status, Object.keys(body.fieldErrors)]).toEqual([400, [path]]);
  });
});

describe("whose events", () => {
  test("are those of the projects that the caller may see", async () => {
    const other = await makeProject(harness.now);
    const viewer = await makeMember(harness.now, project, "viewer");
    const stranger = await makeUser(harness.now);
    const after = await settled();
    await makeTicket(harness.now, project);
    await makeTicket(harness.now, other);
    const last = await settled();
    const projects = async (token: string, more = "") =>
      (await read(`after=${after}${more}`, token)).body.events?.map((event: { project_id: string }) =>
        event.project_id
      );
    expect(await projects(viewer.token)).toEqual([project.id]);
    expect(await projects(other.admin.token)).toEqual([other.id]);
    expect(await projects((await makeUser(harness.now, { role: "super_admin" })).token)).toEqual([
      project.id,
      other.id,
    ]);
    expect((await read(`after=${after}`, stranger.token)).body).toMatchObject({
      events: [],
      next_after: last,
    });
    expect((await read(`project_id=${other.id}`, viewer.token)).status).toBe(403);
    expect(await projects(viewer.token, `&project_id=${project.id}`)).toEqual([project.id]);
  });

  test("to a key are narrowed by its project and its scopes", async () => {
    const other = await makeProject(harness.now, { admin: project.admin });
    const after = await settled();
    for (const { path } of [await makeTicket(harness.now, project), await makeTicket(harness.now, other)]) {
      await call("POST", `${path}/tasks`, { title: "Look", role: "qa" });
    }
    await settled();
    const bound = await makeKey(harness.now, project.admin, { projectId: other.id });
    const narrow = await makeKey(harness.now, project.admin, { scopes: ["tickets:read"] });
    const none = await makeKey(harness.now, project.admin, { scopes: ["tasks:read"] });
    expect(types(await read(`after=${after}`, bound.token))).toEqual(["ticket.created", "task.created"]);
    expect(types(await read(`after=${after}`, narrow.token))).toEqual(["ticket.created", "ticket.created"]);
    expect((await read(`after=${after}`, none.token)).status).toBe(403);
  });
});

describe("waiting", () => {
  test("ends with the first event that is wanted, and returns what came", async () => {
    const { id, path } = await makeTicket(harness.now, project);
    const after = await settled();
    const waited = read(`after=${after}&wait=30&types=ticket.closed`);
    await call("PATCH", path, { priority: "high" });
    await call("PATCH", path, { status: "closed" });
    const { status, body } = await waited;
    expect(status).toBe(200);
    expect(body.events).toMatchObject([{ type: "ticket.closed", ticket: { id } }]);
    expect(body.next_after).toBeGreaterThanOrEqual(body.events[0].seq);
  });

  test("answers at once where there is an event, and no more than were asked for", async () => {
    const after = await settled();
    await makeTicket(harness.now, project, { roles: ["qa", "backend"] });
    await settled();
    expect((await read(`after=${after}&wait=30&limit=2`)).body).toMatchObject({
      next_after: after + 2,
      has_more: true,
    });
  });

  test("ends empty when the time is over", async () => {
    const after = await settled();
    expect((await read(`after=${after}&wait=1`)).body).toEqual({
      events: [],
      next_after: after,
      has_more: false,
      resync: false,
    });
  });

  test("costs a hundred callers no more statements than one", async () => {
    const { path } = await makeTicket(harness.now, project);
    const statements = async (callers: number) => {
      const after = await settled();
      await read(`after=${after}`);
      return await harness.now.count(async () => {
        const waits = Array.from(
          { length: callers },
          () => read(`after=${after}&wait=30&types=test_case.created`),
        );
        await call("POST", `${path}/test-cases`, { title: "Try", instruction: "Look." });
        for (const { body } of await Promise.all(waits)) expect(body.events).toHaveLength(1);
      });
    };
    await statements(1);
    expect(await statements(100)).toBe(await statements(1));
  });
});

describe("labels and milestones", () => {
  test.each(["labels", "milestones"])("tell of each act by one event: %s", async (kind) => {
    const after = await settled();
    const path = `${project.path}/${kind}`;
    const viewer = await makeMember(harness.now, project, "viewer");
    const stranger = await makeProject(harness.now);
    const [{ body: one }, { body: other }] = [
      await call("POST", path, { name: "Alpha" }),
      await call("POST", path, { name: "Beta" }),
    ];
    // A refusal makes no event.
    expect((await call("POST", path, { name: "alpha" })).status).toBe(409);
    expect((await call("PATCH", `${path}/${one.id}`, { name: "BETA" })).status).toBe(409);
    await call("PATCH", `${path}/${one.id}`, { name: "Gamma" });
    if (kind === "labels") await call("POST", `${path}/${other.id}/merge`, { into: one.id });
    else await call("DELETE", `${path}/${other.id}`);
    const answers = await Promise.all([1, 2, 3].map(() => call("DELETE", `${path}/${one.id}`)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([204, 404, 404]);
    await settled();
    const entity = kind.slice(0, -1);
    const { body } = await read(`after=${after}&types=${entity}.*`, viewer.token);
    expect(
      body.events.map(({ type, entity_id, ticket, project_id }: Event) => [
        type,
        entity_id,
        ticket,
        project_id,
      ]),
    ).toEqual(
      [["created", one], ["created", other], ["changed", one], ["deleted", other], ["deleted", one]].map((
        [action, { id }],
      ) => [`${entity}.${action}`, id, null, project.id]),
    );
    expect((await read(`after=${after}&types=${entity}.*`, stranger.admin.token)).body.events).toEqual([]);
  });
});
