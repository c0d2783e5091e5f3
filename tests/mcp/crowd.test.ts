import { v7 as uuid } from "uuid";
import { expect, test } from "vitest";
import { makeKey, makeMember, makeProject, makeTicket } from "../factories.ts";
import { useHarness } from "../harness.ts";
import { Agent } from "./_agent.ts";

const harness = useHarness();

const KEYS = 10;

/** Makes a project with this many ready tasks, and connects agents by a few keys of two users. */
async function crowdOf(tasks: number, agents: number) {
  const project = await makeProject(harness.now);
  const users = [project.admin, await makeMember(harness.now, project, "member", "bot")];
  const { sql } = harness.now;
  const { id } = await makeTicket(harness.now, project);
  await sql`
    with author as materialized (select set_config('handoff.actor', '{"kind":"job","id":"test"}', true))
    insert into tasks (id, ticket_id, project_id, sequence, title, role)
    select i.id, ${id}::uuid, ${project.id}::uuid, i.n, 'Task ' || i.n, 'qa'
    from author, unnest(${Array.from({ length: tasks }, () => uuid())}::uuid[]) with ordinality as i (id, n)`;
  if (tasks === 0) {
    await harness.now.call("PATCH", `${project.path}/tickets/${id}`, {
      ...users[0],
      body: { stage: "live" },
    });
  }
  const clients = await Promise.all(Array.from({ length: KEYS }, async (_, at) => {
    const { token } = await makeKey(harness.now, users[at % 2]!);
    return await Agent.connect(harness.now, token, at % 2 ? "modern" : "legacy");
  }));
  const claim = (at: number, round: number) =>
    clients[at % KEYS]!.call("claim_task", { project: project.key, agent: `agent ${at} of round ${round}` });
  return {
    project,
    claimAll: (round: number) => Promise.all(Array.from({ length: agents }, (_, at) => claim(at, round))),
  };
}

test.each([[200, 50], [200, 200], [30, 50], [30, 200], [0, 50], [0, 200]])(
  "with %i ready tasks, %i agents at once win as many as there are, none twice and in order",
  async (tasks, agents) => {
    const { project, claimAll } = await crowdOf(tasks, agents);
    let left = tasks;
    for (let round = 0; round < 3; round++) {
      const answers = await claimAll(round);
      const won = answers.flatMap(({ isError, body }) => {
        expect(isError, JSON.stringify(body)).toBe(false);
        return body.claimed ? [Number(body.task_id.split("/")[1])] : [];
      });
      const wins = Math.min(agents, left);
      const first = tasks - left + 1;
      expect(won.toSorted((a, b) => a - b)).toEqual(Array.from({ length: wins }, (_, at) => first + at));
      for (const { body } of answers.filter(({ body }) => !body.claimed)) {
        expect(body.reason).toMatch(/^No task is ready/);
      }
      left -= wins;
    }
    expect(
      (await harness.now
        .sql`select from tasks where project_id = ${project.id}::uuid and status = 'in_progress'`).count,
    )
      .toBe(tasks - left);
  },
);
