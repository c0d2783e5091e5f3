import { expect, test } from "vitest";
import { makeKey, makeMember, makeTicket, useProject } from "../factories.ts";
import { useHarness } from "../harness.ts";
import { Agent } from "./_agent.ts";

const harness = useHarness();
const project = useProject(harness);

async function makeTasks(count: number): Promise<string> {
  const { ref, path } = await makeTicket(harness.now, project);
  for (let number = 0; number < count; number++) {
    await harness.now.call("POST", `${path}/tasks`, {
      token: project.admin.token,
      body: { title: `Task ${number}`, role: "backend" },
    });
  }
  return ref;
}

test("12 agents claim 25 tasks, and each task is won once", async () => {
  const ticket = await makeTasks(25);
  const { token } = await makeKey(harness.now, project.admin);
  const won = await Promise.all(Array.from({ length: 12 }, async (_, number) => {
    const agent = await Agent.connect(harness.now, token, number % 2 ? "modern" : "legacy");
    const mine: string[] = [];
    for (;;) {
      const { isError, body } = await agent.call("claim_task", { ticket, agent: `agent-${number}` });
      expect(isError, JSON.stringify(body)).toBe(false);
      if (!body.claimed) return mine;
      mine.push(body.task_id);
    }
  }));
  expect(won.flat()).toHaveLength(25);
  expect(new Set(won.flat()).size).toBe(25);
});

test("200 claims at once of one task give it to one agent", async () => {
  const ticket = await makeTasks(1);
  const { token } = await makeKey(harness.now, project.admin);
  const agent = await Agent.connect(harness.now, token);
  const { tasks } = await agent.do("get_ticket", { ticket });
  const answers = await Promise.all(
    Array.from(
      { length: 200 },
      (_, number) =>
        agent.call("claim_task", { ticket, task_id: tasks[0].task_id, agent: `agent-${number}` }),
    ),
  );
  expect(answers.filter(({ isError }) => !isError)).toHaveLength(1);
  expect(new Set(answers.filter(({ isError }) => isError).map(({ body }) => body.code))).toEqual(
    new Set(["already_claimed"]),
  );
});

test("reporting on a task, and waiting with it, extends its claim", async () => {
  const ticket = await makeTasks(1);
  const { token } = await makeKey(harness.now, project.admin);
  const agent = await Agent.connect(harness.now, token);
  const { body: { id } } = await harness.now.call("GET", `${project.path}/tickets/${ticket}`, {
    token: project.admin.token,
  });
  const { task_id } = await agent.do("claim_task", { ticket, agent: "a" });
  const shorten = () =>
    harness.now
      .sql`update tasks set lease_expires_at = now() + interval '1 minute' where number = 1 and ticket_id = ${id}::uuid`;
  const left = async () => {
    const [row] = await harness.now.sql<[{ minutes: number }]>`
      select extract(epoch from lease_expires_at - now())::float / 60 as minutes from tasks where number = 1 and ticket_id = ${id}::uuid`;
    return row.minutes;
  };
  await shorten().catch(() => {});
  await agent.do("update_task", { ticket, task_id, agent: "a", summary: "Half of it" });
  expect(await left()).toBeGreaterThan(10);
  await shorten().catch(() => {});
  await agent.do("wait_for", { ticket, task_id, agent: "a", wait_seconds: 0 });
  expect(await left()).toBeGreaterThan(10);
});

test("an agent finds what is its own, by its key and its name, and what its user's other agents hold", async () => {
  const ticket = await makeTasks(4);
  const user = await makeMember(harness.now, project, "member");
  const [one, two] = await Promise.all(
    [user, user].map(async (user) =>
      await Agent.connect(harness.now, (await makeKey(harness.now, user)).token)
    ),
  );
  const mine = await one!.do("claim_task", { ticket, agent: "main" });
  const named = await one!.do("claim_task", { ticket, agent: "side" });
  const others = await two!.do("claim_task", { ticket, agent: "main" });
  expect((await two!.call("claim_task", { task_id: mine.task_id, agent: "main" })).body).toMatchObject({
    code: "already_claimed",
  });
  expect((await two!.call("renew_claim", { task_id: mine.task_id, agent: "main", give_back: true })).body)
    .toMatchObject({ code: "already_claimed" });
  const ids = (rows: { task_id: string }[] = []) => rows.map(({ task_id }) => task_id).toSorted();
  const named_context = await one!.do("get_context", { agent: "main" });
  expect(ids(named_context.held_tasks)).toEqual([mine.task_id]);
  expect(ids(named_context.claimed_by_your_other_agents)).toEqual([named.task_id, others.task_id].toSorted());
  const forgetful = await one!.do("get_context");
  expect(forgetful.held_tasks).toMatchObject([{ agent: "main" }, { agent: "side" }]);
  expect(ids(forgetful.claimed_by_your_other_agents)).toEqual([others.task_id]);
});

test("a ticket without tasks is found and claimed as one", async () => {
  const { ref } = await makeTicket(harness.now, project, { title: "Exports fail", roles: ["backend"] });
  const agent = await Agent.connect(harness.now, (await makeKey(harness.now, project.admin)).token);
  const found = await agent.do("find_tasks", { ticket: ref, ready: true });
  expect(found).toMatchObject({ tasks: [], without_tasks: [{ ticket: ref, title: "Exports fail" }] });
  expect(await agent.do("claim_task", { ticket: ref })).toMatchObject({
    claimed: true,
    task_id: `${ref}/1`,
    title: "Exports fail",
    about: { title: "Exports fail", roles: ["backend:pending"] },
  });
});

test("a plan is revised while its tasks are free: texts, role, criteria, order and what waits for what", async () => {
  const { ref } = await makeTicket(harness.now, project);
  const agent = await Agent.connect(harness.now, (await makeKey(harness.now, project.admin)).token);
  const first = await agent.do("add_tasks", {
    ticket: ref,
    tasks: [{ title: "One", role: "backend" }, { title: "Two", role: "qa", after: [1] }],
  });
  expect(first.tasks).toEqual([{ task_id: `${ref}/1` }, { task_id: `${ref}/2` }]);
  const more = {
    ticket: ref,
    tasks: [{ title: "Three", role: "backend", after_tasks: [`${ref}/2`] }, {
      title: "Four",
      role: "qa",
      after: [1],
    }],
    idempotency_key: "more",
  };
  const added = await agent.do("add_tasks", more);
  expect(await agent.do("add_tasks", more)).toEqual(added);
  const wrong = {
    ticket: ref,
    tasks: [{ title: "Good", role: "qa" }, { title: "Bad", role: "qa", after: [2] }],
  };
  expect((await agent.call("add_tasks", wrong)).body.code).toBe("invalid_request");
  await agent.do("update_task", {
    task_id: `${ref}/4`,
    title: "Zero",
    body: "Before all others",
    role: "design",
    criteria: ["It is drawn"],
    after: [],
    place: 1,
  });
  await agent.do("update_task", { task_id: `${ref}/1`, after: [`${ref}/4`] });
  const { tasks } = await agent.do("get_ticket", { ticket: ref });
  expect(tasks).toMatchObject([
    { task_id: `${ref}/4`, title: "Zero", role: "design", criteria: "0/1" },
    { task_id: `${ref}/1`, after: [`${ref}/4`] },
    { task_id: `${ref}/2`, after: [`${ref}/1`] },
    { task_id: `${ref}/3`, after: [`${ref}/2`] },
  ]);
  expect(tasks).toHaveLength(4);
  const found = await agent.do("find_tasks", { ticket: ref, ready: true });
  expect(found.tasks).toMatchObject([{ task_id: `${ref}/4` }]);
  const cycle = await agent.call("update_task", { task_id: `${ref}/4`, after: [`${ref}/3`] });
  expect(cycle.body.code).toBe("invalid_request");
});
