import { expect, test } from "vitest";
import { makeKey, makeMember, makeTicket, useProject } from "../factories.ts";
import { useHarness } from "../harness.ts";

const harness = useHarness();
const project = useProject(harness);

const call = async (method: string, path: string, body?: unknown, token = project.admin.token) => {
  const answer = await harness.now.call(method, path, { token, body });
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
  return answer.body;
};

const rowOf = async (id: string) => {
  const { tickets } = await call("GET", `${project.path}/tickets?limit=200`);
  const row = tickets.find((ticket: { id: string }) => ticket.id === id);
  const ticket = await call("GET", `${project.path}/tickets/${id}`);
  // A list shows the same progress as the ticket itself.
  expect(ticket).toMatchObject(row);
  return row;
};

test("a row tells how many tasks are done and how many cases approved", async () => {
  const ticket = await makeTicket(harness.now, project, { roles: ["qa"] });
  expect(await rowOf(ticket.id)).toMatchObject({
    tasks: { done: 0, total: 0 },
    cases: { approved: 0, total: 0 },
    claimed_by: null,
    agent_run: null,
  });
  const tasks = [];
  for (const title of ["One", "Two", "Three"]) {
    tasks.push(await call("POST", `${ticket.path}/tasks`, { title, role: "qa" }));
  }
  await call("POST", `${ticket.path}/tasks/${tasks[0].id}/claim`, {});
  await call("PATCH", `${ticket.path}/tasks/${tasks[0].id}`, { status: "done" });
  await call("PATCH", `${ticket.path}/tasks/${tasks[1].id}`, { status: "skipped" });
  const one = await call("POST", `${ticket.path}/test-cases`, { title: "Look", instruction: "Look at it." });
  await call("POST", `${ticket.path}/test-cases`, { title: "Again", instruction: "Look again." });
  await call("POST", `${ticket.path}/test-cases/${one.id}/approve`, {});
  const progress = async () => {
    const { tasks, cases } = await rowOf(ticket.id);
    return [tasks.done, tasks.total, cases.approved, cases.total];
  };
  expect(await progress()).toEqual([2, 3, 1, 2]);
  await call("PATCH", `${ticket.path}/tasks/${tasks[0].id}`, { status: "pending" });
  await call("POST", `${ticket.path}/test-cases/${one.id}/reject`, { note: "Not there." });
  expect(await progress()).toEqual([1, 3, 0, 2]);
  await call("DELETE", `${ticket.path}/tasks/${tasks[1].id}`);
  await call("DELETE", `${ticket.path}/test-cases/${one.id}`);
  expect(await progress()).toEqual([0, 2, 0, 1]);
});

test("a row tells who is at work: a person by their session, an agent by a key", async () => {
  const person = await makeMember(harness.now, project, "member");
  const key = await makeKey(harness.now, person);
  for (const [token, kind] of [[person.token, "person"], [key.token, "agent"]] as const) {
    const ticket = await makeTicket(harness.now, project, { roles: ["qa"] });
    const { id } = await call("POST", `${ticket.path}/tasks`, { title: "Do it", role: "qa" });
    const claimed = await call("POST", `${ticket.path}/tasks/${id}/claim`, {}, token);
    expect((await rowOf(ticket.id)).claimed_by).toEqual({
      id: person.id,
      name: "Test User",
      kind,
      lease_expires_at: claimed.lease_expires_at,
    });
    await call("POST", `${ticket.path}/tasks/${id}/release`, {}, token);
    expect((await rowOf(ticket.id)).claimed_by).toBeNull();
  }
});

test("a row tells the latest run of an agent", async () => {
  const ticket = await makeTicket(harness.now, project);
  await call("POST", `${ticket.path}/agent-runs`, { agent_id: "bc_first" });
  const { id } = await call("POST", `${ticket.path}/agent-runs`, { agent_id: "bc_second" });
  expect((await rowOf(ticket.id)).agent_run).toEqual({ id, agent_id: "bc_second", status: "running" });
});

test("a page of tickets with all of this is as many statements as one without", async () => {
  const list = () => call("GET", `${project.path}/tickets`);
  await list();
  expect(await harness.now.count(list)).toBe(1);
});

test("a ticket's address is that of its page, from its creation on", async () => {
  const input = {
    title: "Its address",
    description: "Where it is found.",
    request_type: "bug",
    priority: "low",
  };
  const body = { ...input, blocking: false, idempotency_key: "address" };
  const first = await call("POST", `${project.path}/tickets`, body);
  const ref = first.ticket.ticket_ref;
  expect(first.ticket.url).toBe(`http://handoff.test/${project.key}/tickets/${ref}`);
  const replay = await call("POST", `${project.path}/tickets`, body);
  expect(replay.ticket).toEqual(first.ticket);
  expect((await rowOf(first.ticket.id)).url).toBe(first.ticket.url);
});

test("history is read from either end, page by page, with the same entries", async () => {
  const ticket = await makeTicket(harness.now, project);
  for (const priority of ["high", "low", "medium"]) {
    await call("PATCH", ticket.path, {
      priority,
      title: `Another title, ${priority}`,
      blocking: priority === "low",
    });
  }
  const read = async (sort: string) => {
    const ids: number[] = [];
    let cursor = "";
    do {
      const page = await call("GET", `${ticket.path}/history?sort=${sort}&limit=2${cursor}`);
      ids.push(...page.history.map(({ id }: { id: number }) => id));
      cursor = page.next_cursor ? `&cursor=${page.next_cursor}` : "";
    } while (cursor);
    return ids;
  };
  const forward = await read("at");
  expect(forward.length).toBeGreaterThan(6);
  expect(forward).toEqual(forward.toSorted((a, b) => a - b));
  expect(await read("-at")).toEqual(forward.toReversed());
  const { next_cursor } = await call("GET", `${ticket.path}/history?limit=2`);
  const mixed = await harness.now.call("GET", `${ticket.path}/history?sort=-at&cursor=${next_cursor}`, {
    token: project.admin.token,
  });
  expect([mixed.status, Object.keys(mixed.body.fieldErrors)]).toEqual([400, ["cursor"]]);
});
