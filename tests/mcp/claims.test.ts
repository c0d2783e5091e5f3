import { expect, test } from "vitest";
import { makeKey, makeTicket, useProject } from "../factories.ts";
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
      if (isError) {
        expect(body.code).toBe("not_found");
        return mine;
      }
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
  await agent.do("update_task", { ticket, task_id, summary: "Half of it" });
  expect(await left()).toBeGreaterThan(10);
  await shorten().catch(() => {});
  await agent.do("wait_for", { ticket, task_id, agent: "a", wait_seconds: 0 });
  expect(await left()).toBeGreaterThan(10);
});
