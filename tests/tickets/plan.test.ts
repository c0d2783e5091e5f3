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
    expect(late.body.fieldErrors.start_on[0]).toContain("2026-12-01");
  });

  test("cost a creation without them no statement more", async () => {
    const project = await makeProject(harness.now);
    const count = async (body: unknown) => {
      const before = harness.now.statements.length;
      await harness.now.call("POST", `${project.path}/tickets`, { token: project.admin.token, body });
      return harness.now.statements.length - before;
    };
    await count(ticketInput());
    const plain = await count(ticketInput());
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
