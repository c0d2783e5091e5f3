import { expect, test } from "vitest";
import { behindLock } from "../behind_lock.ts";
import { makeKey, makeMember, makeProject, makeTicket, type TestProject } from "../factories.ts";
import { useHarness } from "../harness.ts";

const harness = useHarness();

type Caller = { token: string };

/** Makes a project with tickets of this many tasks each, and returns the tasks' ids in order. */
async function withTasks(tickets: number, tasks: number) {
  const project = await makeProject(harness.now);
  const ids: string[] = [];
  for (let ticket = 0; ticket < tickets; ticket++) {
    const { path } = await makeTicket(harness.now, project);
    for (let task = 0; task < tasks; task++) ids.push(await addTask(project, path, `Task ${ids.length}`));
  }
  return { project, ids };
}

async function addTask(project: TestProject, path: string, title: string, fields = {}): Promise<string> {
  const { token } = project.admin;
  const body = { title, role: "backend", ...fields };
  return (await harness.now.call("POST", `${path}/tasks`, { token, body })).body.id;
}

async function claim({ path }: TestProject, { token }: Caller, body: Record<string, unknown> = {}) {
  const answer = await harness.now.call("POST", `${path}/tasks/claim`, { token, body });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body;
}

/** Makes a few keys of two users, because one key may make only so many calls at once. */
async function keysOf(project: TestProject, count: number): Promise<Caller[]> {
  const member = await makeMember(harness.now, project, "member");
  return await Promise.all(
    Array.from({ length: count }, (_, at) => makeKey(harness.now, at % 2 ? project.admin : member)),
  );
}

test.each([[200, 50], [30, 50], [0, 50]])(
  "of %i tasks, %i agents at once get one each, in order, and 'none' only when nothing is left",
  async (tasks, agents) => {
    const { project, ids } = await withTasks(tasks / 10, 10);
    const keys = await keysOf(project, 10);
    const left = [...ids];
    for (let round = 0; round < 3; round++) {
      const answers = await Promise.all(
        Array.from(
          { length: agents },
          (_, at) => claim(project, keys[at % keys.length]!, { session_id: `agent ${at}, round ${round}` }),
        ),
      );
      const won = answers.flatMap(({ claimed }) => claimed?.id ?? []);
      const expected = left.splice(0, Math.min(agents, left.length));
      expect(won.toSorted()).toEqual(expected.toSorted());
      for (const { claimed, none } of answers) expect(none === null).toBe(claimed !== null);
    }
  },
);

test("one agent gets the tasks in their order, and a ticket's tasks in the ticket's order", async () => {
  const { project, ids } = await withTasks(2, 2);
  const [key] = await keysOf(project, 1);
  const first = await claim(project, key!);
  expect([first.claimed.id, first.claimed.ticket_status]).toEqual([ids[0], "open"]);
  const { body } = await harness.now.call("GET", `${project.path}/tasks?status=pending`, key!);
  const ticket = body.tasks[1].handoff_request_id;
  const path = `${project.path}/tickets/${ticket}`;
  const task_ids = ids.slice(2).toReversed();
  await harness.now.call("POST", `${path}/tasks/reorder`, { token: project.admin.token, body: { task_ids } });
  expect((await claim(project, key!, { ticket_id: ticket })).claimed.id).toBe(ids[3]);
  expect((await claim(project, key!, { role: "design" })).claimed).toBe(null);
  expect((await claim(project, key!)).claimed.id).toBe(ids[1]);
});

test("a task that somebody locks and gives up is not taken for none", async () => {
  const { project, ids } = await withTasks(1, 1);
  const [key] = await keysOf(project, 1);
  const [answer] = await behindLock<{ claimed: { id: string } }>(
    harness.now,
    (tx) => tx`select from tasks where id = ${ids[0]!}::uuid for update`,
    () => claim(project, key!),
  );
  expect(answer!.claimed.id).toBe(ids[0]);
});

test("'none' tells the reason in numbers and words", async () => {
  const { project } = await withTasks(0, 0);
  const [key, other] = await keysOf(project, 2);
  const { token } = project.admin;
  expect((await claim(project, key!)).none).toMatchObject({
    reason: "No task is ready, and none is unfinished",
  });
  const { path } = await makeTicket(harness.now, project);
  const [first, second, third, fourth] = [
    await addTask(project, path, "First"),
    await addTask(project, path, "Second"),
    await addTask(project, path, "Third"),
    await addTask(project, path, "Fourth", { role: "design" }),
  ];
  await addTask(project, path, "Fifth", { depends_on_task_ids: [first] });
  expect((await claim(project, key!, { role: "backend" })).claimed.id).toBe(first);
  await harness.now.call("POST", `${path}/questions`, {
    ...key,
    body: { prompt: "Which?", task_id: second },
  });
  await harness.now.call("PATCH", `${path}/tasks/${third}`, {
    token,
    body: { status: "blocked", blocking_reason: "No bucket" },
  });
  const { claimed, none } = await claim(project, key!, { role: "backend" });
  expect(claimed).toBe(null);
  expect(none).toMatchObject({
    waiting_for_answers: 1,
    blocked: 1,
    held: 1,
    held_by_you: 1,
    held_until: expect.any(String),
    waiting_for_tasks: 1,
    waited_for: ["First"],
    assigned_to_others: 0,
    in_closed_tickets: 0,
    of_other_roles: 1,
  });
  expect(none.reason).toBe(
    `No task is ready: 1 waits for an answer; 1 is blocked; 1 is in progress by you until ${none.held_until}; ` +
      '1 waits for "First"; 1 is ready for another role',
  );
  expect((await claim(project, other!, { role: "backend" })).none.held_by_you).toBe(0);
  expect((await claim(project, other!)).claimed.id).toBe(fourth);
});

test("a ticket without tasks is listed as ready, and is claimed as one task, by one of many", async () => {
  const { project } = await withTasks(0, 0);
  const keys = await keysOf(project, 5);
  const ticket = await makeTicket(harness.now, project, { title: "Exports fail", roles: ["qa", "backend"] });
  const path = `${project.path}/tasks?ready=true`;
  const listed = async (query = "") => (await harness.now.call("GET", path + query, keys[0]!)).body.tickets;
  expect(await listed()).toEqual([
    { id: ticket.id, ticket_ref: ticket.ref, title: "Exports fail", roles: ["backend", "qa"] },
  ]);
  expect([await listed("&role=design"), await listed("&role=qa")]).toMatchObject([[], [{ id: ticket.id }]]);
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, at) => claim(project, keys[at % 5]!, { session_id: `agent ${at}` })),
  );
  const won = answers.flatMap(({ claimed }) => claimed ?? []);
  expect(won).toMatchObject([{ title: "Exports fail", role: "backend", status: "in_progress", sequence: 1 }]);
  expect(await listed()).toEqual([]);
  const { body } = await harness.now.call("GET", `${ticket.path}/tasks`, keys[0]!);
  expect(body.tasks).toHaveLength(1);
});

test("the oldest comes first, a task or a ticket without tasks", async () => {
  const { project } = await withTasks(0, 0);
  const [key] = await keysOf(project, 1);
  const split = await makeTicket(harness.now, project);
  const older = await addTask(project, split.path, "Older");
  const whole = await makeTicket(harness.now, project, { title: "Whole" });
  const younger = await addTask(project, split.path, "Younger");
  expect((await claim(project, key!)).claimed.id).toBe(older);
  expect((await claim(project, key!)).claimed).toMatchObject({ title: "Whole", ticket_ref: whole.ref });
  expect((await claim(project, key!)).claimed.id).toBe(younger);
});

test("a ticket without tasks isn't ready while it waits for a person's answer, is in validation or is closed", async () => {
  const { project } = await withTasks(0, 0);
  const [key] = await keysOf(project, 1);
  const { token } = project.admin;
  const asked = await makeTicket(harness.now, project);
  await harness.now.call("POST", `${asked.path}/questions`, { token, body: { prompt: "Which?" } });
  for (const stage of ["validation", "live"]) {
    const { path } = await makeTicket(harness.now, project);
    await harness.now.call("PATCH", path, { token, body: { stage } });
  }
  expect((await claim(project, key!)).none).toMatchObject({ waiting_for_answers: 1 });
  expect((await harness.now.call("GET", `${project.path}/tasks?ready=true`, key!)).body.tickets).toEqual([]);
});
