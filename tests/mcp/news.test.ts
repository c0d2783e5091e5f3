import { beforeAll, describe, expect, test } from "vitest";
import {
  makeKey,
  makeMember,
  makeProject,
  makeTicket,
  type TestTicket,
  type TestUser,
  useProject,
} from "../factories.ts";
import { useHarness } from "../harness.ts";
import { until } from "../until.ts";
import { Agent } from "./_agent.ts";

const harness = useHarness();
const project = useProject(harness);
const NAME = "Ada Person";
let person: TestUser;
let bot: TestUser;

beforeAll(async () => {
  person = await makeMember(harness.now, project, "member");
  await harness.now.sql`update users set name = ${NAME} where id = ${person.id}::uuid`;
  bot = await makeMember(harness.now, project, "member");
});

async function connect(user = bot, options: Record<string, unknown> = {}): Promise<Agent> {
  return await Agent.connect(harness.now, (await makeKey(harness.now, user, options)).token);
}

async function byPerson(method: string, path: string, body?: Record<string, unknown>) {
  const answer = await harness.now.call(method, path, { token: person.token, body });
  if (answer.status >= 400) throw new Error(JSON.stringify(answer.body));
  return answer.body;
}

/** An agent that has done something on a ticket of its own. */
async function atWork(): Promise<{ agent: Agent; ticket: TestTicket }> {
  const agent = await connect();
  const ticket = await makeTicket(harness.now, project, { roles: ["backend"] });
  await agent.do("set_role", { ticket: ticket.ref, role: "backend", status: "in_progress" });
  return { agent, ticket };
}

async function addCase(agent: Agent, { ref, path }: TestTicket): Promise<string> {
  const { case_id } = await agent.do("add_test_case", {
    ticket: ref,
    title: "Export 900 rows",
    instruction: "Count.",
  });
  return `${path}/test-cases/${case_id}`;
}

const firstWord = ({ happened }: { happened: { what: string; text?: string; by: string }[] }) => happened[0]!;

describe("a wait on a ticket", () => {
  async function waiting(agent: Agent, args: Record<string, unknown>, act: () => Promise<unknown>) {
    const before = harness.now.services.feed.size;
    const wait = agent.do("wait_for", { wait_seconds: 30, ...args });
    await until(() => harness.now.services.feed.size > before);
    await act();
    return await wait;
  }

  test.each([
    ["approve", "approved", { note: "Counted twice" }],
    ["reject", "rejected", { note: "Row 17 is missing in Safari" }],
  ])("returns when a person decides to %s a test case, with the note", async (act, word, body) => {
    const { agent, ticket } = await atWork();
    const path = await addCase(agent, ticket);
    const { version } = await agent.do("get_ticket", { ticket: ticket.ref });
    const found = await waiting(
      agent,
      { ticket: ticket.ref, version },
      () => byPerson("POST", `${path}/${act}`, body),
    );
    expect(found).toMatchObject({ done: true, ticket: ticket.ref, stage: "backlog" });
    expect(firstWord(found)).toMatchObject({
      what: `test case "Export 900 rows" ${word}`,
      text: body.note,
      by: NAME,
      is_agent: false,
    });
    expect(found.text_by_others).toContain("happened");
  });

  test("returns for a decision that came between the agent's last act and the wait", async () => {
    const { agent, ticket } = await atWork();
    const path = await addCase(agent, ticket);
    await byPerson("POST", `${path}/approve`, {});
    const found = await agent.do("wait_for", { ticket: ticket.ref, wait_seconds: 30 });
    expect(firstWord(found).what).toContain("approved");
    expect(await agent.do("wait_for", { ticket: ticket.ref, since: found.since, wait_seconds: 0 }))
      .toMatchObject({
        done: false,
      });
  });

  test("returns for a comment of somebody else, a role, a field and a closing, in words", async () => {
    const { agent, ticket } = await atWork();
    const acts: [() => Promise<unknown>, string][] = [
      [() => byPerson("POST", `${ticket.path}/comments`, { body: "Please use zstd" }), "commented"],
      [() => byPerson("POST", `${ticket.path}/roles/backend/finish`), "role backend is done"],
      [() => byPerson("PATCH", ticket.path, { priority: "high" }), "ticket priority is high"],
      [
        () => byPerson("PATCH", ticket.path, { status: "closed", resolution_note: "Done by hand" }),
        "ticket closed",
      ],
    ];
    let since: number | undefined;
    for (const [act, words] of acts) {
      const found = await waiting(agent, { ticket: ticket.ref, since }, act);
      expect(found.happened.map(({ what }: { what: string }) => what).join()).toContain(words);
      since = found.since;
    }
  });

  test("returns when a task that waited for another becomes ready", async () => {
    const { agent, ticket } = await atWork();
    await agent.do("add_tasks", {
      ticket: ticket.ref,
      tasks: [{ title: "Dig", role: "backend" }, { title: "Fill", role: "backend", after: [1] }],
    });
    const { body } = await harness.now.call("GET", `${ticket.path}/tasks`, { token: person.token });
    const path = `${ticket.path}/tasks/${body.tasks[0].id}`;
    await byPerson("PATCH", path, { status: "in_progress" });
    const { last } = await byPerson("GET", `${ticket.path}/news`);
    const found = await waiting(
      agent,
      { ticket: ticket.ref, since: last },
      () => byPerson("PATCH", path, { status: "done" }),
    );
    expect(firstWord(found).what).toMatch(new RegExp(` is done; task ${ticket.ref}/2 can be claimed$`));
  });

  test("isn't ended by the caller's own acts, and tells an agent of the same person's other key", async () => {
    const { agent, ticket } = await atWork();
    const other = await connect();
    const found = await waiting(agent, { ticket: ticket.ref }, async () => {
      await agent.do("comment", { ticket: ticket.ref, body: "I begin" });
      await agent.do("update_ticket", { ticket: ticket.ref, priority: "high" });
      await other.do("comment", { ticket: ticket.ref, body: "And I am here, too" });
    });
    expect(found.happened).toMatchObject([{ what: "commented", text: "And I am here, too", is_agent: true }]);
  });

  test("tells a decision at once that was made before, to an agent that never acted there", async () => {
    const { path, ref } = await makeTicket(harness.now, project, { request_type: "decision_needed" });
    const { questions } = await byPerson("GET", `${path}/questions`);
    await byPerson("POST", `${path}/questions/${questions[0].id}/answer`, {
      text: "SQLite, because it is small.",
    });
    const found = await (await connect()).do("wait_for", { ticket: ref, wait_seconds: 30 });
    expect(firstWord(found)).toMatchObject({ text: "SQLite, because it is small.", by: NAME });
    expect(firstWord(found).what).toContain("answered");
  });

  test("tells whether the claim of the task still is the caller's", async () => {
    const { agent, ticket } = await atWork();
    await agent.do("add_tasks", { ticket: ticket.ref, tasks: [{ title: "Held", role: "backend" }] });
    const task_id = `${ticket.ref}/1`;
    await agent.do("claim_task", { task_id, agent: "a" });
    const wait = (agent: Agent, name: string) =>
      agent.do("wait_for", { task_id, agent: name, wait_seconds: 0, ticket: ticket.ref });
    expect((await wait(agent, "a")).claim).toMatch(/^yours until 2/);
    expect((await wait(await connect(), "b")).claim).toMatch(/^not yours/);
  });
});

test("a wait tells nothing that came before the agent's own last act", async () => {
  const { agent, ticket } = await atWork();
  await byPerson("POST", `${ticket.path}/comments`, { body: "Mind the log" });
  await agent.do("comment", { ticket: ticket.ref, body: "I have read it" });
  expect(await agent.do("wait_for", { ticket: ticket.ref, wait_seconds: 0 })).toMatchObject({ done: false });
  const all = await agent.do("wait_for", { ticket: ticket.ref, since: 0, wait_seconds: 0 });
  expect(all.happened.at(-1).text).toBe("Mind the log");
});

test("a wait without a ticket returns when work of the role is there, and sends nothing until then", async () => {
  const agent = await connect(bot);
  // A ticket of another role, which no wait for this role takes for work.
  const ticket = await makeTicket(harness.now, project, { roles: ["qa"] });
  const before = harness.now.services.feed.size;
  const wait = agent.do("wait_for", { project: project.key, role: "devops", wait_seconds: 60 }, {
    onprogress() {},
    timeout: 90_000,
  });
  await until(() => harness.now.services.feed.size > before);
  await byPerson("POST", `${ticket.path}/tasks`, { title: "Rotate the keys", role: "devops" });
  expect(await wait).toMatchObject({
    done: true,
    tasks: [{ task_id: `${ticket.ref}/1`, title: "Rotate the keys" }],
  });
});

test("such a wait returns for a ticket that somebody hands over without tasks, too", async () => {
  const agent = await connect(bot);
  const own = await makeProject(harness.now, { admin: project.admin });
  await harness.now.call("PUT", `${own.path}/members/${bot.id}`, {
    token: project.admin.token,
    body: { role: "member" },
  });
  const before = harness.now.services.feed.size;
  const wait = agent.do("wait_for", { project: own.key, wait_seconds: 60 }, {
    onprogress() {},
    timeout: 90_000,
  });
  await until(() => harness.now.services.feed.size > before);
  const { ref } = await makeTicket(harness.now, own, { title: "Login is slow" });
  expect(await wait).toMatchObject({
    done: true,
    tasks: [],
    without_tasks: [{ ticket: ref, title: "Login is slow" }],
    text_by_others: ["without_tasks.title"],
  });
  expect(await agent.do("claim_task", { project: own.key })).toMatchObject({ claimed: true, ticket: ref });
});

describe("get_context", () => {
  test("lists answers, decisions and comments until the agent has gone on, however old they are", async () => {
    const { agent, ticket } = await atWork();
    const { question_id } = await agent.do("ask_human", { ticket: ticket.ref, question: "Which region?" });
    const path = await addCase(agent, ticket);
    await byPerson("POST", `${ticket.path}/questions/${question_id}/answer`, { text: "Frankfurt" });
    await byPerson("POST", `${path}/reject`, { note: "Off by one" });
    await byPerson("POST", `${ticket.path}/comments`, { body: "See the log" });
    await harness.now.sql`
      update history set created_at = now() - interval '90 days' where ticket_id = ${ticket.id}::uuid`;
    const seen = async () => {
      const { answered, happened } = await agent.do("get_context");
      return [
        answered.map(({ question_id, answer }: { question_id: string; answer: { text: string } }) => [
          question_id,
          answer.text,
        ]),
        happened.map(({ what, text }: { what: string; text: string }) => [what, text]),
      ];
    };
    const news = [
      [[question_id, "Frankfurt"]],
      [[`test case "Export 900 rows" rejected`, "Off by one"], ["commented", "See the log"]],
    ];
    expect(await seen()).toEqual(news);
    // The first answer may have been lost, so the next look tells it again.
    expect(await seen()).toEqual(news);
    await agent.do("get_ticket", { ticket: ticket.ref });
    expect(await seen()).toEqual([[], []]);
    await byPerson("POST", `${ticket.path}/comments`, { body: "And the trace" });
    expect(await seen()).toEqual([[], [["commented", "And the trace"]]]);
  });

  test("says when it is cut, and tells the rest at the next look", async () => {
    const { agent, ticket } = await atWork();
    for (let number = 1; number <= 23; number++) {
      await byPerson("POST", `${ticket.path}/comments`, { body: `Number ${number}` });
    }
    const first = await agent.do("get_context");
    expect([first.happened.length, first.more_happened]).toEqual([20, expect.stringContaining("more")]);
    await agent.do("find_tickets", { project: project.key });
    const second = await agent.do("get_context");
    expect(second.happened.map(({ text }: { text: string }) => text)).toEqual([
      "Number 21",
      "Number 22",
      "Number 23",
    ]);
    expect(second.more_happened).toBeUndefined();
  });

  test("tells each agent of a key by its name, and nothing of other keys' tickets or of own acts", async () => {
    const { agent, ticket } = await atWork();
    await atWork();
    await agent.do("comment", { ticket: ticket.ref, body: "Mine" });
    await byPerson("POST", `${ticket.path}/comments`, { body: "For you" });
    const texts = async (agent: Agent, name: string) =>
      (await agent.do("get_context", { agent: name })).happened.map(({ text }: { text: string }) => text);
    expect(await texts(agent, "one")).toEqual(["For you"]);
    expect(await texts(agent, "two")).toEqual(["For you"]);
    expect(await texts(await connect(), "one")).toEqual([]);
  });

  test("tells a bot user of a mention on a ticket that it never saw", async () => {
    const robot = await makeMember(harness.now, project, "member");
    await harness.now.sql`update users set kind = 'bot' where id = ${robot.id}::uuid`;
    const ticket = await makeTicket(harness.now, project);
    const body = `@[Robot](${robot.id}) please look`;
    await byPerson("POST", `${ticket.path}/comments`, { body });
    await byPerson("POST", `${ticket.path}/comments`, { body: "No mention" });
    const { happened } = await (await connect(robot)).do("get_context");
    expect(happened).toMatchObject([{ ticket: ticket.ref, what: "commented", text: body, by: NAME }]);
    expect(happened).toHaveLength(1);
  });
});

test("get_ticket tells what was asked, answered and said, by whom, and what the key may not read", async () => {
  const { path, ref } = await makeTicket(harness.now, project, { request_type: "clarification_needed" });
  const { questions } = await byPerson("GET", `${path}/questions`);
  await byPerson("POST", `${path}/questions/${questions[0].id}/answer`, {
    text: "Only for paying accounts.",
  });
  for (const body of ["One", "Two", "Three"]) await byPerson("POST", `${path}/comments`, { body });
  const reader = await connect(bot, { scopes: ["tickets:read"] });
  const found = await reader.do("get_ticket", { ticket: ref });
  expect(found).toMatchObject({
    by: "Test User",
    is_agent: false,
    comments_total: 3,
    latest_comments: [{ body: "Two", by: NAME }, { body: "Three" }],
    questions: [{ status: "answered", answer: { text: "Only for paying accounts.", by: NAME } }],
    left_out: [expect.stringContaining("tasks:read")],
  });
  expect(found.text_by_others).toEqual(["title", "description", "questions", "latest_comments"]);
  const all = await reader.do("get_ticket", { ticket: ref, part: "questions" });
  expect(all.questions).toMatchObject([{ answer: { text: "Only for paying accounts." } }]);
});
