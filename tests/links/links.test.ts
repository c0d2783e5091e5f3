import { describe, expect, test } from "vitest";
import {
  makeKey,
  makeMember,
  makeProject,
  makeTicket,
  type TestProject,
  type TestTicket,
} from "../factories.ts";
import { behindLock, besideLock } from "../behind_lock.ts";
import { useHarness } from "../harness.ts";

const harness = useHarness();

async function call(project: TestProject, method: string, path: string, body?: unknown, token?: string) {
  const answer = await harness.now.call(method, path, { token: token ?? project.admin.token, body });
  return { status: answer.status, body: answer.body };
}

async function link(project: TestProject, ticket: TestTicket, kind: string, other: TestTicket) {
  return await call(project, "POST", `${ticket.path}/links`, { kind, ticket: other.ref });
}

async function close(project: TestProject, ticket: TestTicket, body: object = {}) {
  return await call(project, "PATCH", ticket.path, { status: "closed", ...body });
}

async function read(project: TestProject, { path }: TestTicket) {
  return (await call(project, "GET", path)).body;
}

async function addTask(project: TestProject, { path }: TestTicket): Promise<string> {
  return (await call(project, "POST", `${path}/tasks`, { title: "Do it", role: "backend" })).body.id;
}

async function releasesOf(ticketId: string): Promise<number> {
  const [{ count }] = await harness.now.sql<[{ count: number }]>`
    select count(*) from history where ticket_id = ${ticketId}::uuid and action = 'unblocked'`;
  return count;
}

/** Reads all that tells of a ticket, as somebody who may not see the other one. */
async function tellsNothing(
  project: TestProject,
  ticket: TestTicket,
  { secret, hidden, reader }: { secret: TestProject; hidden: TestTicket; reader: { token: string } },
) {
  await harness.now.follow();
  const parts = ["", "/links", "/references", "/referring", "/duplicates", "/history", "/news", "/watchers"]
    .map((part) => ticket.path + part);
  const lists = ["tickets?q=secret", "tickets?q=plan&status=closed", "tickets", "export"].map((part) =>
    `${project.path}/${part}`
  );
  for (const path of [...parts, ...lists, "/events?after=0&limit=100", "/inbox", "/waiting"]) {
    const answer = await call(project, "GET", path, undefined, reader.token);
    expect([200, 403, 404], path).toContain(answer.status);
    const told = JSON.stringify(answer.body);
    for (const name of [hidden.ref, hidden.id, secret.id, "secret plan"]) {
      expect(told, path).not.toContain(name);
    }
  }
}

describe("a link between two tickets", () => {
  test("is seen from both sides, once, and can be deleted from either", async () => {
    const project = await makeProject(harness.now);
    const [a, b] = [await makeTicket(harness.now, project), await makeTicket(harness.now, project)];
    for (
      const [kind, seen] of [["blocks", "blocked_by"], ["relates", "relates"], [
        "duplicates",
        "duplicated_by",
      ]]
    ) {
      const made = await link(project, a, kind!, b);
      expect(made).toMatchObject({ status: 201, body: { kind, ticket: { ticket_ref: b.ref } } });
      const again = await link(project, a, kind!, b);
      expect(again).toMatchObject({ status: 200, body: { id: made.body.id, _idempotent_replay: true } });
      const { body } = await call(project, "GET", `${b.path}/links`);
      expect(body).toMatchObject({ links: [{ kind: seen, ticket: { id: a.id } }], hidden: 0 });
      if (kind === "relates") expect((await link(project, b, kind!, a)).body.id).toBe(made.body.id);
      expect((await call(project, "DELETE", `${b.path}/links/${made.body.id}`)).status).toBe(204);
      expect((await call(project, "DELETE", `${b.path}/links/${made.body.id}`)).status).toBe(404);
      expect((await call(project, "GET", `${a.path}/links`)).body.links).toEqual([]);
    }
    const { body: { history } } = await call(project, "GET", `${a.path}/history`);
    const told = history.filter(({ entity }: { entity: string }) => entity === "link");
    expect(told).toMatchObject([
      { action: "created", to: { kind: "blocks", ref: b.ref } },
      { action: "deleted", from: { kind: "blocks", ref: b.ref } },
      { action: "created", to: { kind: "relates" } },
      { action: "deleted", from: { kind: "relates" } },
    ]);
  });

  test("is refused with a sentence where it can't be", async () => {
    const project = await makeProject(harness.now);
    const other = await makeProject(harness.now);
    const [a, b, theirs] = [
      await makeTicket(harness.now, project),
      await makeTicket(harness.now, project),
      await makeTicket(harness.now, other),
    ];
    for (
      const body of [
        { kind: "blocks", ticket: a.ref },
        { kind: "blocks", ticket: `${project.key}-999` },
        { kind: "blocks", ticket: theirs.id },
        { kind: "blocks", ticket: "no ref" },
        { kind: "eats", ticket: b.ref },
        { kind: "blocks" },
      ]
    ) {
      expect((await call(project, "POST", `${a.path}/links`, body)).status, JSON.stringify(body)).toBe(400);
    }
    const viewer = await makeMember(harness.now, project, "viewer");
    const body = { kind: "blocks", ticket: b.ref };
    expect((await call(project, "POST", `${a.path}/links`, body, viewer.token)).status).toBe(403);
  });

  test("to a project that the reader may not see leaks nothing", async () => {
    const project = await makeProject(harness.now);
    const secret = await makeProject(harness.now, { admin: project.admin });
    const reader = await makeMember(harness.now, project, "member");
    const [a, hidden] = [
      await makeTicket(harness.now, project),
      await makeTicket(harness.now, secret, { title: "The secret plan" }),
    ];
    const made = await link(project, a, "blocked_by", hidden);
    expect(made.status).toBe(201);
    expect((await call(project, "GET", `${a.path}/links`)).body).toMatchObject({ hidden: 0, links: [{}] });
    await tellsNothing(project, a, { secret, hidden, reader });
    const links = await call(project, "GET", `${a.path}/links`, undefined, reader.token);
    expect(links.body).toEqual({ links: [], hidden: 1, next_cursor: null });
    const gone = await call(project, "DELETE", `${a.path}/links/${made.body.id}`, undefined, reader.token);
    expect(gone.status).toBe(404);
    const taskId = await addTask(project, a);
    const claim = await call(project, "POST", `${a.path}/tasks/${taskId}/claim`, {}, reader.token);
    expect(claim).toMatchObject({
      status: 409,
      body: { code: "ticket_blocked", details: { blockers: [], hidden: 1 } },
    });
    expect(JSON.stringify(claim.body)).not.toContain(hidden.ref);
    const byKey = await makeKey(harness.now, project.admin, { projectId: project.id });
    const bound = await call(project, "GET", `${a.path}/links`, undefined, byKey.token);
    expect(bound.body).toMatchObject({ links: [], hidden: 1 });
    await close(project, hidden);
    expect(await read(project, a)).toMatchObject({ open_blockers: 0 });
    await tellsNothing(project, a, { secret, hidden, reader });
    await call(project, "DELETE", `${hidden.path}/links/${made.body.id}`);
    await tellsNothing(project, a, { secret, hidden, reader });
  });

  test("is one of at most 200 of a ticket, also when many are made at once", async () => {
    const project = await makeProject(harness.now);
    const ticket = await makeTicket(harness.now, project);
    const others = await Promise.all(Array.from({ length: 204 }, () => makeTicket(harness.now, project)));
    const answers = await Promise.all(others.map((other) => link(project, ticket, "relates", other)));
    const made = answers.filter(({ status }) => status === 201).length;
    expect([made, answers.filter(({ status }) => status === 409).length]).toEqual([200, 4]);
  });
});

describe("a blocker", () => {
  test("keeps the ticket's tasks from being ready until it is closed, and blocks again when it is reopened", async () => {
    const project = await makeProject(harness.now);
    const agent = await makeKey(harness.now, project.admin);
    const [blocker, ticket] = [
      await makeTicket(harness.now, project),
      await makeTicket(harness.now, project),
    ];
    const taskId = await addTask(project, ticket);
    const other = await addTask(project, blocker);
    await link(project, blocker, "blocks", ticket);
    expect(await read(project, ticket)).toMatchObject({ open_blockers: 1, version: 1 });
    const ready = async () =>
      (await call(project, "GET", `${project.path}/tasks?ready=true`, undefined, agent.token)).body.tasks
        .map(({ id }: { id: string }) => id);
    expect(await ready()).toEqual([other]);
    expect((await call(project, "GET", `${ticket.path}/tasks/next`, undefined, agent.token)).status).toBe(
      404,
    );
    for (const token of [agent.token, project.admin.token]) {
      const claim = await call(project, "POST", `${ticket.path}/tasks/${taskId}/claim`, {}, token);
      expect(claim).toMatchObject({
        status: 409,
        body: { code: "ticket_blocked", details: { blockers: [{ ticket_ref: blocker.ref }] } },
      });
    }
    const start = await call(
      project,
      "PATCH",
      `${ticket.path}/tasks/${taskId}`,
      { status: "in_progress" },
      agent.token,
    );
    expect([start.status, start.body.code]).toEqual([409, "ticket_blocked"]);
    const none = await call(
      project,
      "POST",
      `${project.path}/tasks/claim`,
      { ticket_id: ticket.id },
      agent.token,
    );
    expect(none.body).toMatchObject({ claimed: null, none: { in_blocked_tickets: 1 } });
    expect(none.body.none.reason).toContain("1 is of a ticket that waits for another one");
    await close(project, blocker);
    expect(await ready()).toEqual([taskId]);
    await call(project, "PATCH", blocker.path, { status: "open" });
    expect(await ready()).toEqual([other]);
    await close(project, blocker);
    const claimed = await call(project, "POST", `${project.path}/tasks/claim`, {}, agent.token);
    expect(claimed.body.claimed.id).toBe(taskId);
    expect(await releasesOf(ticket.id)).toBe(2);
  });

  test("holds back a ticket without tasks from those who claim the next one", async () => {
    const project = await makeProject(harness.now);
    const agent = await makeKey(harness.now, project.admin);
    const [ticket, blocker] = [
      await makeTicket(harness.now, project),
      await makeTicket(harness.now, project),
    ];
    await link(project, ticket, "blocked_by", blocker);
    const first = await call(project, "POST", `${project.path}/tasks/claim`, {}, agent.token);
    expect(first.body.claimed.handoff_request_id).toBe(blocker.id);
    expect((await call(project, "POST", `${project.path}/tasks/claim`, {}, agent.token)).body.claimed)
      .toBeNull();
  });

  test("keeps agents from moving the ticket to in_progress; people may, and history says so", async () => {
    const project = await makeProject(harness.now);
    const agent = await makeKey(harness.now, project.admin);
    const [ticket, blocker] = [
      await makeTicket(harness.now, project),
      await makeTicket(harness.now, project),
    ];
    await link(project, ticket, "blocked_by", blocker);
    const moved = await call(project, "PATCH", ticket.path, { stage: "in_progress" }, agent.token);
    expect(moved).toMatchObject({ status: 409, body: { code: "ticket_blocked" } });
    const bulk = { action: "move", stage: "in_progress", ticket_ids: [ticket.id, blocker.id] };
    const many = await call(project, "POST", `${project.path}/tickets/bulk`, bulk, agent.token);
    expect(many.body).toMatchObject({ updated: 1, errors: [{ id: ticket.id, code: "ticket_blocked" }] });
    expect((await call(project, "PATCH", ticket.path, { stage: "in_progress" })).status).toBe(200);
    const { body: { history } } = await call(project, "GET", `${ticket.path}/history`);
    expect(history.find(({ action }: { action: string }) => action === "moved_while_blocked")).toMatchObject({
      to: { blockers: [{ ticket_ref: blocker.ref }] },
    });
  });

  test("that is one of the last two, closed at once, leaves one event and one notification", async () => {
    const project = await makeProject(harness.now);
    const assignee = await makeMember(harness.now, project, "member");
    for (let round = 0; round < 5; round++) {
      const ticket = await makeTicket(harness.now, project, { assignee_user_id: assignee.id });
      const blockers = [await makeTicket(harness.now, project), await makeTicket(harness.now, project)];
      for (const blocker of blockers) await link(project, ticket, "blocked_by", blocker);
      await harness.now.follow();
      await call(project, "POST", "/inbox/read", { ticket_ids: [ticket.id] }, assignee.token);
      if (round === 0) {
        const both = { action: "close", ticket_ids: blockers.map(({ id }) => id) };
        await call(project, "POST", `${project.path}/tickets/bulk`, both);
      } else if (round === 1) {
        const { body: { links } } = await call(project, "GET", `${ticket.path}/links`);
        await Promise.all(
          links.map(({ id }: { id: string }) => call(project, "DELETE", `${ticket.path}/links/${id}`)),
        );
      } else {
        await Promise.all(blockers.map((blocker) => close(project, blocker)));
      }
      expect(await read(project, ticket)).toMatchObject({ open_blockers: 0 });
      expect(await releasesOf(ticket.id)).toBe(1);
      await harness.now.follow();
      const { body } = await call(project, "GET", "/inbox", undefined, assignee.token);
      const told = body.notifications.find((one: { ticket: { id: string } }) => one.ticket.id === ticket.id);
      expect(told).toMatchObject({ unread: true, last_event: { type: "ticket.unblocked" } });
    }
  });

  test("in a ring is refused with its path, also when two people make the ring at once", async () => {
    const project = await makeProject(harness.now);
    const [a, b, c] = [
      await makeTicket(harness.now, project),
      await makeTicket(harness.now, project),
      await makeTicket(harness.now, project),
    ];
    await link(project, a, "blocks", b);
    await link(project, b, "blocks", c);
    const ring = await link(project, c, "blocks", a);
    expect(ring).toMatchObject({ status: 400, body: { details: { cycle: [a.ref, c.ref, b.ref, a.ref] } } });
    expect(Object.keys(ring.body.fieldErrors)).toEqual(["ticket"]);
    for (let round = 0; round < 8; round++) {
      const many = await Promise.all(Array.from({ length: 4 }, () => makeTicket(harness.now, project)));
      const answers = await Promise.all(
        many.map((ticket, at) => link(project, ticket, "blocks", many[(at + 1) % many.length]!)),
      );
      expect(answers.filter(({ status }) => status === 400)).toHaveLength(1);
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
    }
  });

  test("that appears in the instant of a claim wins, whichever way the claim is made", async () => {
    const project = await makeProject(harness.now);
    const agent = await makeKey(harness.now, project.admin);
    const ways = [
      (ticket: TestTicket, taskId: string) =>
        call(project, "POST", `${ticket.path}/tasks/${taskId}/claim`, {}, agent.token),
      (ticket: TestTicket) =>
        call(project, "POST", `${project.path}/tasks/claim`, { ticket_id: ticket.id }, agent.token),
      (ticket: TestTicket, taskId: string) =>
        call(project, "PATCH", `${ticket.path}/tasks/${taskId}`, { status: "in_progress" }, agent.token),
    ];
    for (const claim of ways) {
      const [ticket, blocker] = [
        await makeTicket(harness.now, project),
        await makeTicket(harness.now, project),
      ];
      const taskId = await addTask(project, ticket);
      // Both wait for the task, the blocker first. The claim looked at the ticket before that.
      const [made, claimed] = await behindLock(
        harness.now,
        (tx) => tx`select from tasks where id = ${taskId}::uuid for update`,
        () => link(project, ticket, "blocked_by", blocker),
        () => claim(ticket, taskId),
      );
      expect(made!.status).toBe(201);
      expect(claimed!.body.claimed ?? null).toBeNull();
      expect(claimed!.body).toMatchObject(
        claimed!.status === 200 ? { none: { in_blocked_tickets: 1 } } : { code: "ticket_blocked" },
      );
      const { body } = await call(project, "GET", `${ticket.path}/tasks`);
      expect(body.tasks).toMatchObject([{ status: "pending", assignee_user_id: null }]);
    }
  });

  test("that is opened again in the instant of a claim wins, too", async () => {
    const project = await makeProject(harness.now);
    const agent = await makeKey(harness.now, project.admin);
    const [ticket, blocker] = [
      await makeTicket(harness.now, project),
      await makeTicket(harness.now, project),
    ];
    const taskId = await addTask(project, ticket);
    await link(project, ticket, "blocked_by", blocker);
    await close(project, blocker);
    const [opened, claimed] = await behindLock(
      harness.now,
      (tx) => tx`select from tasks where id = ${taskId}::uuid for update`,
      () => call(project, "PATCH", blocker.path, { status: "open" }),
      () => call(project, "POST", `${ticket.path}/tasks/${taskId}/claim`, {}, agent.token),
    );
    expect([opened!.status, claimed!.body.code]).toEqual([200, "ticket_blocked"]);
  });

  test("that appears while a task is claimed leaves the count right", async () => {
    const project = await makeProject(harness.now);
    const agent = await makeKey(harness.now, project.admin);
    for (let round = 0; round < 10; round++) {
      const [ticket, blocker] = [
        await makeTicket(harness.now, project),
        await makeTicket(harness.now, project),
      ];
      const taskId = await addTask(project, ticket);
      const [made, claim] = await Promise.all([
        link(project, ticket, "blocked_by", blocker),
        call(project, "POST", `${ticket.path}/tasks/${taskId}/claim`, {}, agent.token),
      ]);
      expect(made.status).toBe(201);
      expect([200, 409]).toContain(claim.status);
      const late = await addTask(project, ticket);
      const second = await call(project, "POST", `${ticket.path}/tasks/${late}/claim`, {}, agent.token);
      expect(second.body.code).toBe("ticket_blocked");
    }
  });
});

describe("a parent", () => {
  test("counts its children, and is closed after them or by a person past them", async () => {
    const project = await makeProject(harness.now);
    const agent = await makeKey(harness.now, project.admin);
    const parent = await makeTicket(harness.now, project);
    const children = [
      await makeTicket(harness.now, project, { parent_id: parent.ref }),
      await makeTicket(harness.now, project, { parent_id: parent.id }),
    ];
    expect(await read(project, parent)).toMatchObject({
      children: { open: 2, total: 2 },
      closing: { children: 2 },
      version: 1,
    });
    expect(await read(project, children[0]!)).toMatchObject({ parent_id: parent.id, parent_ref: parent.ref });
    const early = await close(project, parent);
    expect(early).toMatchObject({
      status: 409,
      body: {
        code: "children_open",
        details: { children: children.map(({ ref }) => ({ ticket_ref: ref })) },
      },
    });
    await close(project, children[0]!);
    const bulk = { action: "close", ticket_ids: [parent.id], skip_open_children: true };
    const byAgent = await call(project, "POST", `${project.path}/tickets/bulk`, bulk, agent.token);
    expect(byAgent.status).toBe(403);
    const refused = await call(project, "POST", `${project.path}/tickets/bulk`, {
      ...bulk,
      skip_open_children: false,
    });
    expect(refused.body.errors).toMatchObject([{ code: "children_open" }]);
    expect((await call(project, "POST", `${project.path}/tickets/bulk`, bulk)).body).toMatchObject({
      updated: 1,
    });
    const { body: { history } } = await call(project, "GET", `${parent.path}/history`);
    expect(history.find(({ action }: { action: string }) => action === "open_children_skipped").to).toEqual({
      children: [{ id: children[1]!.id, ticket_ref: children[1]!.ref, title: expect.any(String) }],
    });
    const late = await call(project, "PATCH", children[0]!.path, { parent_id: null });
    expect(late.body.parent_id).toBeNull();
    expect(await read(project, parent)).toMatchObject({ children: { open: 1, total: 1 } });
    const another = await makeTicket(harness.now, project);
    const closed = await call(project, "PATCH", another.path, { parent_id: parent.ref });
    expect([closed.status, closed.body.code]).toEqual([409, "conflict"]);
  });

  test("is no part of itself, has at most 8 levels and 500 children", async () => {
    const project = await makeProject(harness.now);
    const line = [await makeTicket(harness.now, project)];
    for (let level = 1; level < 8; level++) {
      line.push(await makeTicket(harness.now, project, { parent_id: line.at(-1)!.id }));
    }
    const deeper = await makeTicket(harness.now, project);
    const ninth = await call(project, "PATCH", deeper.path, { parent_id: line[7]!.ref });
    expect(ninth.body.fieldErrors).toHaveProperty("parent_id");
    const above = await call(project, "PATCH", line[0]!.path, { parent_id: deeper.ref });
    expect(above.body.fieldErrors).toHaveProperty("parent_id");
    const ring = await call(project, "PATCH", line[0]!.path, { parent_id: line[2]!.ref });
    expect(ring).toMatchObject({
      status: 400,
      body: { details: { cycle: [line[0]!.ref, line[2]!.ref, line[1]!.ref, line[0]!.ref] } },
    });
    const itself = await call(project, "PATCH", deeper.path, { parent_id: deeper.ref });
    expect(itself.status).toBe(400);
    const other = await makeProject(harness.now, { admin: project.admin });
    const theirs = await makeTicket(harness.now, other);
    for (const parent_id of [theirs.id, theirs.ref, `${project.key}-99999`]) {
      const { body } = await call(project, "PATCH", deeper.path, { parent_id });
      expect(body.fieldErrors).toHaveProperty("parent_id");
    }
    await harness.now.sql`update tickets set children_total = 500 where id = ${deeper.id}::uuid`;
    const full = await call(project, "PATCH", line[7]!.path, { parent_id: deeper.ref });
    expect([full.status, full.body.code]).toEqual([409, "conflict"]);
  });

  test("is never in a ring, when people make parents of one another at once", async () => {
    const project = await makeProject(harness.now);
    for (let round = 0; round < 8; round++) {
      const many = await Promise.all(Array.from({ length: 4 }, () => makeTicket(harness.now, project)));
      const answers = await Promise.all(
        many.map(({ path }, at) =>
          call(project, "PATCH", path, { parent_id: many[(at + 1) % many.length]!.id })
        ),
      );
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 400]);
      const counts = await Promise.all(many.map((ticket) => read(project, ticket)));
      expect(counts.reduce((sum, { children }) => sum + children.total, 0)).toBe(3);
    }
  });

  test("counts right while its children close, open and leave at once", async () => {
    const project = await makeProject(harness.now);
    const parent = await makeTicket(harness.now, project);
    const children = await Promise.all(
      Array.from({ length: 12 }, () => makeTicket(harness.now, project, { parent_id: parent.id })),
    );
    const answers = await Promise.all(
      children.map((child, at) =>
        at % 3 === 0
          ? close(project, child)
          : at % 3 === 1
          ? call(project, "PATCH", child.path, { parent_id: null })
          : call(project, "PATCH", child.path, { title: "Something else" })
      ),
    );
    for (const { status } of answers) expect(status).toBe(200);
    expect(await read(project, parent)).toMatchObject({ children: { open: 4, total: 8 } });
  });
});

describe("a ticket that is closed as a duplicate", () => {
  test("may be one of a ticket of another project, of which others learn nothing", async () => {
    const project = await makeProject(harness.now);
    const secret = await makeProject(harness.now, { admin: project.admin });
    const reader = await makeMember(harness.now, project, "member");
    const [twin, original] = [
      await makeTicket(harness.now, project),
      await makeTicket(harness.now, secret, { title: "The secret plan" }),
    ];
    await call(project, "PUT", `${twin.path}/watch`, {}, reader.token);
    const body = { resolution_type: "duplicate", duplicate_of: original.ref };
    const asked = await call(project, "PATCH", twin.path, { status: "closed", ...body }, reader.token);
    expect([asked.status, Object.keys(asked.body.fieldErrors)]).toEqual([400, ["duplicate_of"]]);
    expect((await close(project, twin, body)).status).toBe(200);
    expect((await call(project, "GET", `${twin.path}/duplicates`)).body).toMatchObject({
      duplicate_of: { ticket_ref: original.ref, title: "The secret plan" },
    });
    expect((await call(project, "GET", `${original.path}/duplicates`)).body).toMatchObject({
      duplicates: [{ ticket_ref: twin.ref }],
    });
    // The reader can't watch what the reader can't see.
    const { body: { watchers } } = await call(project, "GET", `${original.path}/watchers`);
    expect(watchers.map(({ user_id }: { user_id: string }) => user_id)).not.toContain(reader.id);
    await tellsNothing(project, twin, { secret, hidden: original, reader });
    await call(project, "PATCH", twin.path, { status: "open" });
    await tellsNothing(project, twin, { secret, hidden: original, reader });
    expect((await call(project, "GET", `${twin.path}/duplicates`)).body.duplicate_of).toBeNull();
  });

  test("names the other one, and its watchers watch that", async () => {
    const project = await makeProject(harness.now);
    const watcher = await makeMember(harness.now, project, "member");
    const [twin, original] = [await makeTicket(harness.now, project), await makeTicket(harness.now, project)];
    await call(project, "PUT", `${twin.path}/watch`, {}, watcher.token);
    const closed = await close(project, twin, { resolution_type: "duplicate", duplicate_of: original.ref });
    expect(closed.status).toBe(200);
    const { body } = await call(project, "GET", `${twin.path}/links`);
    expect(body.links).toMatchObject([{ kind: "duplicates", ticket: { ticket_ref: original.ref } }]);
    const { body: { watchers } } = await call(project, "GET", `${original.path}/watchers`);
    expect(watchers).toContainEqual(expect.objectContaining({ user_id: watcher.id, reason: "duplicate" }));
    const ring = await close(project, original, { resolution_type: "duplicate", duplicate_of: twin.ref });
    expect([ring.status, Object.keys(ring.body.fieldErrors ?? {})]).toEqual([400, ["duplicate_of"]]);
    await call(project, "PATCH", twin.path, { status: "open" });
    expect((await call(project, "GET", `${twin.path}/links`)).body.links).toEqual([]);
  });

  test("can be one of many in a bulk call; without that resolution there is no original", async () => {
    const project = await makeProject(harness.now);
    const [a, b, original] = [
      await makeTicket(harness.now, project),
      await makeTicket(harness.now, project),
      await makeTicket(harness.now, project),
    ];
    const bulk = { action: "close", ticket_ids: [a.id, b.ref], duplicate_of: original.ref };
    const wrong = await call(project, "POST", `${project.path}/tickets/bulk`, bulk);
    expect(wrong.body.fieldErrors).toHaveProperty("duplicate_of");
    const self = { ...bulk, ticket_ids: [original.id], resolution_type: "duplicate" };
    expect((await call(project, "POST", `${project.path}/tickets/bulk`, self)).status).toBe(400);
    const done = await call(project, "POST", `${project.path}/tickets/bulk`, {
      ...bulk,
      resolution_type: "duplicate",
    });
    expect(done.body).toMatchObject({ updated: 2, errors: [] });
    const { body } = await call(project, "GET", `${original.path}/links`);
    expect(body.links.map(({ kind }: { kind: string }) => kind)).toEqual(["duplicated_by", "duplicated_by"]);
    const open = await call(project, "PATCH", original.path, { duplicate_of: a.ref });
    expect(open.body.fieldErrors).toHaveProperty("duplicate_of");
  });
});

test("links between two projects come along, whichever is imported first, and only to those who see both", async () => {
  const [near, far] = await twoProjects();
  const [a, b] = [await makeTicket(harness.now, near), await makeTicket(harness.now, near)];
  const [x, y, z] = [
    await makeTicket(harness.now, far),
    await makeTicket(harness.now, far),
    await makeTicket(harness.now, far),
  ];
  await link(near, a, "blocked_by", x);
  await link(near, b, "blocks", y);
  await link(near, a, "relates", y);
  await close(near, b, { resolution_type: "duplicate", duplicate_of: z.ref });
  const reader = await makeMember(harness.now, near, "admin");
  const seen = await call(near, "GET", `${near.path}/export`, undefined, reader.token);
  for (const { links, duplicate_of } of seen.body.records) expect([links, duplicate_of]).toEqual([[], null]);
  const exports = await Promise.all(
    [near, far].map(async (project) => (await call(project, "GET", `${project.path}/export`)).body.records),
  );
  expect(exports.flat().map(({ links }) => links.length)).toEqual([2, 1, 1, 2, 1]);
  for (const order of [[0, 1], [1, 0]]) {
    const there = await twoProjects();
    const [ids, records] = renamed(exports);
    for (const at of order) {
      const { status, body } = await call(there[at]!, "POST", `${there[at]!.path}/import`, {
        records: records[at],
      });
      expect(status, JSON.stringify(body)).toBe(200);
    }
    const again = await Promise.all(
      there.map(async (project) => (await call(project, "GET", `${project.path}/export`)).body.records),
    );
    const shown = (all: Record<string, unknown>[][]) =>
      all.map((list) =>
        list.map(({ id, links, duplicate_of }) => ({ id, duplicate_of, links: sorted(links) }))
      );
    expect(shown(again)).toEqual(shown(records));
    const { body } = await call(there[0], "GET", `${there[0].path}/tickets/${ids.get(a.id)}`);
    expect(body.open_blockers).toBe(1);
  }
});

async function twoProjects(): Promise<[TestProject, TestProject]> {
  const project = await makeProject(harness.now);
  return [project, await makeProject(harness.now, { admin: project.admin })];
}

function sorted(links: unknown): string[] {
  return (links as object[]).map((link) => JSON.stringify(link)).toSorted();
}

/** The records under new ids, without what an import can't bring twice. */
function renamed(exports: Record<string, unknown>[][]) {
  const ids = new Map(exports.flat().map(({ id }) => [String(id), crypto.randomUUID() as string]));
  const text = JSON.stringify(
    exports.map((list) =>
      list.map(({ history: _, part_creations: __, creation: ___, project_keys: ____, ...record }) => ({
        ...record,
        creation: null,
        part_creations: [],
      }))
    ),
  );
  const uuid = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
  return [ids, JSON.parse(text.replace(uuid, (id) => ids.get(id) ?? id))] as const;
}

test("links and parents come along in an export, and rings of an import are refused", async () => {
  const project = await makeProject(harness.now);
  const parent = await makeTicket(harness.now, project);
  const [a, b] = [
    await makeTicket(harness.now, project, { parent_id: parent.id }),
    await makeTicket(harness.now, project),
  ];
  await link(project, a, "blocked_by", b);
  await link(project, a, "relates", parent);
  const { body: { records } } = await call(project, "GET", `${project.path}/export`);
  const [ids, [renamedRecords]] = renamed([records]);
  const there = await makeProject(harness.now, { admin: project.admin });
  // The child comes before its parent, in calls of their own.
  for (const record of [...renamedRecords.toReversed(), ...renamedRecords]) {
    const { status } = await call(there, "POST", `${there.path}/import`, { records: [record] });
    expect(status).toBe(200);
  }
  const again = (await call(there, "GET", `${there.path}/export`)).body.records;
  const shown = (list: Record<string, unknown>[]) =>
    list.map(({ id, parent_id, links }) => ({ id, parent_id, links: [...links as object[]] }));
  expect(shown(again)).toMatchObject([{}, { parent_id: ids.get(parent.id) }, { parent_id: null }]);
  const counts = (await call(there, "GET", `${there.path}/tickets?sort=created_at`)).body.tickets;
  expect(counts.map(({ open_blockers, children }: Record<string, unknown>) => [open_blockers, children]))
    .toEqual([
      [0, { open: 1, total: 1 }],
      [1, { open: 0, total: 0 }],
      [0, { open: 0, total: 0 }],
    ]);
  const [first, second] = [crypto.randomUUID(), crypto.randomUUID()];
  const pair = (change: (other: string) => object) =>
    [first, second].map((id, at) => ({
      ...renamedRecords[0],
      links: [],
      id,
      number: 500 + at,
      ...change(at === 0 ? second : first),
    }));
  for (
    const change of [
      (other: string) => ({ parent_id: other }),
      (other: string) => ({ links: [{ kind: "blocked_by", ticket_id: other }] }),
    ]
  ) {
    const { status, body } = await call(there, "POST", `${there.path}/import`, { records: pair(change) });
    expect([status, Object.keys(body.fieldErrors ?? {})]).toEqual([400, ["records"]]);
  }
});

type Door = (project: TestProject, ticket: TestTicket) => [method: string, path: string, body: object];
const DOORS: [string, "closes" | "opens", Door][] = [
  ["a change of the status", "closes", (_, { path }) => ["PATCH", path, { status: "closed" }]],
  ["a change of the stage", "closes", (_, { path }) => ["PATCH", path, { stage: "live" }]],
  ["a change of the stage", "opens", (_, { path }) => ["PATCH", path, { stage: "up_next" }]],
  ["a change of the status", "opens", (_, { path }) => ["PATCH", path, { status: "open" }]],
  ["a placement", "closes", (_, { path }) => ["POST", `${path}/place`, { stage: "live" }]],
  ["a placement", "opens", (_, { path }) => ["POST", `${path}/place`, { stage: "backlog" }]],
  ["a bulk call", "closes", ({ path }, { id }) => [
    "POST",
    `${path}/tickets/bulk`,
    { action: "close", ticket_ids: [id] },
  ]],
];

describe.each(DOORS)("%s that %s a ticket", (_, does, door) => {
  test.each(["parent", "blocked"])("holds it only behind the %s ticket that counts it", async (kin) => {
    const project = await makeProject(harness.now);
    const [other, ticket] = [await makeTicket(harness.now, project), await makeTicket(harness.now, project)];
    if (kin === "parent") await call(project, "PATCH", ticket.path, { parent_id: other.id });
    else await link(project, ticket, "blocks", other);
    if (does === "opens") expect((await close(project, ticket)).status).toBe(200);
    // One person's changes come one after the other.
    const { token } = await makeMember(harness.now, project, "member");
    const { waited, passed } = await besideLock(
      harness.now,
      (tx) => tx`select from tickets where id = ${other.id}::uuid for update`,
      {
        waits: () => call(project, ...door(project, ticket)),
        passes: () => call(project, "PATCH", ticket.path, { title: "Nobody holds this one" }, token),
      },
    );
    expect([waited.status, passed.status], JSON.stringify(waited.body)).toEqual([200, 200]);
    expect(await read(project, ticket)).toMatchObject({
      title: "Nobody holds this one",
      status: does === "closes" ? "closed" : "open",
    });
    const { children, open_blockers } = await read(project, other);
    const open = does === "closes" ? 0 : 1;
    expect(kin === "parent" ? children.open : open_blockers).toBe(open);
  });
});
