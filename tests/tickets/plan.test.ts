import { describe, expect, test } from "vitest";
import { makeMember, makeProject, makeTicket, ticketInput } from "../factories.ts";
import { useHarness } from "../harness.ts";

const harness = useHarness();

describe("the planning fields of a ticket", () => {
  test("are stored by a creation, changed by PATCH, listed, and told in the history", async () => {
    const project = await makeProject(harness.now);
    const { token } = project.admin;
    const member = await makeMember(harness.now, project, "member");
    const milestone = await harness.now.call("POST", `${project.path}/milestones`, {
      token,
      body: { name: "1.0", due_on: "2026-12-31" },
    });
    const plan = {
      assignee_user_id: member.id,
      start_on: "2026-11-30",
      due_on: "2026-12-04",
      estimate: 2.25,
      milestone_id: milestone.body.id,
    };
    const { id } = await makeTicket(harness.now, project, plan);
    const shown = {
      ...plan,
      assignee: { name: "Test User", kind: "human" },
      milestone_name: "1.0",
      labels: [],
    };
    const ticket = await harness.now.call("GET", `${project.path}/tickets/${id}`, { token });
    expect(ticket.body).toMatchObject(shown);
    const list = await harness.now.call("GET", `${project.path}/tickets`, { token });
    expect(list.body.tickets[0]).toMatchObject(shown);
    const changed = await harness.now.call("PATCH", `${project.path}/tickets/${id}`, {
      token,
      body: { due_on: "2026-12-05", estimate: null, assignee_user_id: null },
      headers: { "if-match": '"1"' },
    });
    expect(changed.body).toMatchObject({ due_on: "2026-12-05", estimate: null, assignee: null, version: 2 });
    const { body } = await harness.now.call("GET", `${project.path}/tickets/${id}/history`, { token });
    expect(body.history.slice(-3).map(({ field }: { field: string }) => field).toSorted()).toEqual([
      "assignee_user_id",
      "due_on",
      "estimate",
    ]);
    const same = await harness.now.call("PATCH", `${project.path}/tickets/${id}`, {
      token,
      body: { due_on: "2026-12-05", estimate: null },
    });
    expect(same.body.version).toBe(2);
  });

  test("are refused by name when they can't be", async () => {
    const project = await makeProject(harness.now);
    const { token } = project.admin;
    const viewer = await makeMember(harness.now, project, "viewer");
    const other = await makeProject(harness.now);
    const foreign = await harness.now.call("POST", `${other.path}/milestones`, {
      token: other.admin.token,
      body: { name: "1.0" },
    });
    const wrong: [string, unknown][] = [
      ["due_on", "2026-02-30"],
      ["due_on", "tomorrow"],
      ["start_on", "2026-12-01T00:00:00Z"],
      ["estimate", 10_001],
      ["estimate", 1.005],
      ["estimate", -1],
      ["assignee_user_id", viewer.id],
      ["assignee_user_id", other.admin.id],
      ["milestone_id", foreign.body.id],
      ["labels", Array.from({ length: 31 }, (_, at) => `label ${at}`)],
    ];
    for (const [field, value] of wrong) {
      const { status, body } = await harness.now.call("POST", `${project.path}/tickets`, {
        token,
        body: ticketInput({ [field]: value }),
      });
      expect([status, Object.keys(body.fieldErrors)[0]], `${field} ${value}`).toEqual([400, field]);
    }
    const { id } = await makeTicket(harness.now, project, { due_on: "2026-12-01" });
    const late = await harness.now.call("PATCH", `${project.path}/tickets/${id}`, {
      token,
      body: { start_on: "2026-12-02" },
    });
    expect(late.body.fieldErrors.start_on).toContain("2026-12-01");
  });

  test("cost a creation without them no statement more", async () => {
    const project = await makeProject(harness.now);
    const count = (body: unknown) =>
      harness.now.count(() =>
        harness.now.call("POST", `${project.path}/tickets`, { token: project.admin.token, body })
      );
    await count(ticketInput());
    const plain = await count(ticketInput());
    expect(plain).toBe(1);
    const planned = await count(ticketInput({ due_on: "2026-12-01" }));
    expect(planned).toBeGreaterThan(plain);
  });
});

describe("a milestone", () => {
  test("counts its tickets, is closed and opened, and leaves its tickets when it is deleted", async () => {
    const project = await makeProject(harness.now);
    const { token } = project.admin;
    const made = await harness.now.call("POST", `${project.path}/milestones`, {
      token,
      body: { name: "Beta" },
    });
    const path = `${project.path}/milestones/${made.body.id}`;
    const { id } = await makeTicket(harness.now, project, { milestone_id: made.body.id });
    expect((await harness.now.call("GET", path, { token })).body).toMatchObject({
      open_tickets: 1,
      closed_tickets: 0,
    });
    const twin = await harness.now.call("POST", `${project.path}/milestones`, {
      token,
      body: { name: "BETA" },
    });
    expect(twin.status).toBe(409);
    const closed = await harness.now.call("PATCH", path, {
      token,
      body: { state: "closed", due_on: "2026-12-31" },
    });
    expect(closed.body).toMatchObject({ state: "closed", due_on: "2026-12-31" });
    expect((await harness.now.call("DELETE", path, { token })).status).toBe(204);
    const hidden = await harness.now.call("GET", `${project.path}/tickets/${id}`, { token });
    expect(hidden.body.milestone_name).toBeNull();
    await harness.now.work("leave-milestone");
    const after = await harness.now.call("GET", `${project.path}/tickets/${id}`, { token });
    expect(after.body).toMatchObject({ milestone_id: null, version: 2 });
    expect((await harness.now.call("GET", path, { token })).status).toBe(404);
  });
});

describe("the assignee of a ticket", () => {
  test("watches it, and is told of it once with the reason assigned", async () => {
    const project = await makeProject(harness.now);
    const { token } = project.admin;
    const [first, second] = [
      await makeMember(harness.now, project, "member"),
      await makeMember(harness.now, project, "member"),
    ];
    const ticket = await makeTicket(harness.now, project, { assignee_user_id: first.id });
    await harness.now.follow();
    const inbox = async (user: { token: string }) =>
      (await harness.now.call("GET", "/inbox", { token: user.token })).body.notifications;
    expect(await inbox(first)).toMatchObject([{ ticket: { id: ticket.id }, reason: "assigned" }]);
    const watchers = await harness.now.call("GET", `${ticket.path}/watchers`, { token });
    expect(watchers.body.watchers).toContainEqual(
      expect.objectContaining({ user_id: first.id, reason: "assigned" }),
    );
    await harness.now.call("PATCH", ticket.path, { token, body: { assignee_user_id: second.id } });
    await harness.now.follow();
    expect(await inbox(second)).toMatchObject([{ reason: "assigned" }]);
    // A bot is assigned like a person.
    const bot = await makeMember(harness.now, project, "member", "bot");
    const given = await harness.now.call("PATCH", ticket.path, { token, body: { assignee_user_id: bot.id } });
    expect(given.body.assignee).toEqual({ name: "Test User", kind: "bot" });
    // Nobody is told of their own act.
    await harness.now.call("PATCH", ticket.path, {
      token: first.token,
      body: { assignee_user_id: first.id },
    });
    await harness.now.follow();
    expect((await inbox(first)).length).toBe(1);
  });

  type Loss = (path: string, id: string) => [method: string, path: string, body?: object];
  const LOSSES: [string, Loss][] = [
    ["is made a viewer", (path, id) => ["PUT", `${path}/members/${id}`, { role: "viewer" }]],
    ["is removed", (path, id) => ["DELETE", `${path}/members/${id}`]],
    ["is deactivated", (_, id) => ["DELETE", `/users/${id}`]],
  ];
  test.each(LOSSES)("is nobody from the moment when the one who was it %s", async (_, callOf) => {
    const project = await makeProject(harness.now);
    const { token } = project.admin;
    const member = await makeMember(harness.now, project, "member");
    const open = await makeTicket(harness.now, project, { assignee_user_id: member.id });
    const closed = await makeTicket(harness.now, project, { assignee_user_id: member.id });
    await harness.now.call("PATCH", closed.path, { token, body: { status: "closed" } });
    const [method, path, body] = callOf(project.path, member.id);
    const lost = await harness.now.call(method, path, { token, body });
    expect(lost.status).toBeLessThan(300);
    const assigneeOf = async (path: string) =>
      (await harness.now.call("GET", path, { token })).body.assignee_user_id;
    expect(await assigneeOf(open.path)).toBeNull();
    expect(await assigneeOf(closed.path)).toBe(member.id);
    const { body: { history } } = await harness.now.call("GET", `${open.path}/history?sort=-at`, { token });
    expect(history[0]).toMatchObject({
      field: "assignee_user_id",
      to: null,
      actor: { id: project.admin.id },
    });
    // The ticket that is opened again has no assignee who can't work on it.
    await harness.now.call("PATCH", closed.path, { token, body: { status: "open" } });
    expect(await assigneeOf(closed.path)).toBeNull();
  });

  test("never is one who loses the right in the same instant", async () => {
    const project = await makeProject(harness.now);
    const { token } = project.admin;
    for (let round = 0; round < 8; round++) {
      const member = await makeMember(harness.now, project, "member");
      const tickets = await Promise.all(Array.from({ length: 4 }, () => makeTicket(harness.now, project)));
      const answers = await Promise.all([
        ...tickets.map(({ path }) =>
          harness.now.call("PATCH", path, { token, body: { assignee_user_id: member.id } })
        ),
        harness.now.call("DELETE", `${project.path}/members/${member.id}`, { token }),
      ]);
      for (const { status } of answers) expect([200, 204, 400]).toContain(status);
    }
    const [left] = await harness.now.sql<[{ count: number }]>`
      select count(*) from tickets where project_id = ${project.id}::uuid and assignee_user_id is not null`;
    expect(left.count).toBe(0);
  });
});

describe("longer texts", () => {
  test("are taken by a change, read, exported and imported again, and refused past their limit", async () => {
    const project = await makeProject(harness.now);
    const { token } = project.admin;
    const ticket = await makeTicket(harness.now, project);
    const comment = await harness.now.call("POST", `${ticket.path}/comments`, {
      token,
      body: { body: "Short" },
    });
    const commentPath = `${ticket.path}/comments/${comment.body.id}`;
    const texts = ["x", "票", "😀"].map((letter) => [letter.repeat(256), letter.repeat(65_536)]);
    // JSON writes a control character at six times its length.
    for (const [title, description] of [...texts, ["Controls", `x${"\u0001".repeat(65_535)}`]]) {
      const changed = await harness.now.call("PATCH", ticket.path, { token, body: { title, description } });
      expect(changed.status).toBe(200);
      expect(changed.body).toMatchObject({ title, description });
      const edited = await harness.now.call("PATCH", commentPath, { token, body: { body: description } });
      expect(edited.body.body).toBe(description);
    }
    for (const body of [{ title: "x".repeat(257) }, { description: "x".repeat(65_537) }]) {
      const { status, body: { fieldErrors } } = await harness.now.call("PATCH", ticket.path, { token, body });
      expect([status, Object.keys(fieldErrors)]).toEqual([400, Object.keys(body)]);
    }
    const tooLong = await harness.now.call("PATCH", commentPath, {
      token,
      body: { body: "x".repeat(65_537) },
    });
    expect(tooLong.body.fieldErrors).toHaveProperty("body");
    const created = await harness.now.call("POST", `${project.path}/tickets`, {
      token,
      body: ticketInput({ title: "x".repeat(141) }),
    });
    expect(created.body.fieldErrors).toHaveProperty("title");
    // A text of many different words has the largest index entry.
    const words = Array.from({ length: 9_000 }, (_, at) => `w${at.toString(36)}`).join(" ");
    const searched = await harness.now.call("PATCH", ticket.path, { token, body: { description: words } });
    expect(searched.status).toBe(200);
    const found = await harness.now.call("GET", `${project.path}/tickets?q=w${(8_999).toString(36)}`, {
      token,
    });
    expect(found.body.tickets).toHaveLength(1);
  });
});

test("a project has a time zone, and refuses one that is none", async () => {
  const project = await makeProject(harness.now);
  const { token } = project.admin;
  const put = (time_zone: string) => harness.now.call("PATCH", project.path, { token, body: { time_zone } });
  expect((await put("Europe/Berlin")).body.time_zone).toBe("Europe/Berlin");
  for (const wrong of ["Mars/Olympus", "+02:00", ""]) {
    expect((await put(wrong)).body.fieldErrors).toHaveProperty("time_zone");
  }
});

test("an export brings the planning fields to another project, and a second export is equal", async () => {
  const project = await makeProject(harness.now);
  const { token } = project.admin;
  await harness.now.call("POST", `${project.path}/labels`, {
    token,
    body: { name: "bug", color: "#a03fb0" },
  });
  await harness.now.call("POST", `${project.path}/labels`, {
    token,
    body: { name: "ui", description: "Seen" },
  });
  const milestone = await harness.now.call("POST", `${project.path}/milestones`, {
    token,
    body: { name: "1.0", due_on: "2026-12-31", description: "The first" },
  });
  await makeTicket(harness.now, project, {
    assignee_user_id: project.admin.id,
    labels: ["bug", "ui"],
    start_on: "2026-11-30",
    due_on: "2026-12-04",
    estimate: 0.25,
    milestone_id: milestone.body.id,
  });
  await makeTicket(harness.now, project);
  const exported = async (path: string) => {
    const { body } = await harness.now.call("GET", `${path}/export`, { token });
    return body.records.map(({ history: _, project_keys: __, ...record }: Record<string, unknown>) => record);
  };
  const records = await exported(project.path);
  const there = await makeProject(harness.now, { admin: project.admin });
  // A label that is there already keeps its color.
  await harness.now.call("POST", `${there.path}/labels`, { token, body: { name: "BUG", color: "#000000" } });
  const anew = records.map((record: { id: string }) => ({
    ...record,
    id: crypto.randomUUID(),
    part_creations: [],
  }));
  const imported = await harness.now.call("POST", `${there.path}/import`, { token, body: { records: anew } });
  expect(imported.body).toEqual({ imported: 2, existing: 0 });
  const again = await exported(there.path);
  expect(again.map((record: { part_creations: unknown }) => ({ ...record, labels: null }))).toEqual(
    anew.map((record: object) => ({ ...record, labels: null })),
  );
  expect(again[0].labels).toEqual([
    { name: "BUG", color: "#000000", description: "" },
    { name: "ui", color: expect.any(String), description: "Seen" },
  ]);
  for (
    const [change, path] of [
      [{ start_on: "2026-12-05" }, "records.0.start_on"],
      [{ labels: [anew[0].labels[0], { ...anew[0].labels[0], name: "Bug" }] }, "records.0.labels"],
      [{ due_on: "2026-02-30" }, "records.0.due_on"],
    ] as const
  ) {
    const { status, body } = await harness.now.call("POST", `${there.path}/import`, {
      token,
      body: { records: [{ ...anew[0], ...change, id: crypto.randomUUID(), number: 900 }] },
    });
    expect([status, Object.keys(body.fieldErrors)]).toEqual([400, [path]]);
  }
});
