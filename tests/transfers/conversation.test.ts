import { expect, test } from "vitest";
import { openHarness, useHarness } from "../harness.ts";
import { makeProject, makeUser } from "../factories.ts";
import { DECISION, useTalk } from "../talk.ts";

const harness = useHarness();
const talk = useTalk(harness);

test("nobody but a person is named as the person who answered, asked or commented", async () => {
  const { ann, ben, project } = talk;
  const ticket = await talk.newTicket();
  await talk.done("POST", `${ticket.path}/comments`, { body: "First" });
  const asked = await talk.ask(ticket, DECISION, ann);
  await talk.done("POST", `${asked.path}/answer`, { option_ids: ["2gb"] }, ben);
  const exported = await talk.done("GET", `${project.path}/export`, undefined, project.admin);
  const record = exported.records.find(({ id }: { id: string }) => id === ticket.id);
  const elsewhere = await openHarness();
  try {
    const there = await makeProject(elsewhere);
    const bot = await makeUser(elsewhere, { accountId: there.accountId, kind: "bot" });
    const call = (method: string, path: string, body?: unknown) =>
      elsewhere.call(method, `${there.path}${path}`, { token: there.admin.token, body });
    const [comment] = record.comments;
    const [question] = record.questions;
    const byBot = {
      comments: [{ ...comment, created_by: bot.email }],
      questions: [{ ...question, created_by: bot.email, answered_by: bot.email }],
    };
    expect((await call("POST", "/import", { records: [{ ...record, ...byBot }] })).status).toBe(200);
    const { body: { comments } } = await call("GET", `/tickets/${ticket.id}/comments`);
    expect(comments).toMatchObject([{ author: { id: null, kind: "person" } }]);
    const { body: { questions } } = await call("GET", `/tickets/${ticket.id}/questions`);
    expect(questions).toMatchObject([
      { asked_by: { id: null, kind: "person" }, answer: { by: "person", user_id: null } },
    ]);
  } finally {
    await elsewhere.close();
  }
});

test.each([
  ["an answer of an agent", { resolver: "human_only", answered_by_bot: true }, "answered_with"],
  ["an answer with a key", { answered_with: "key" }, "answered_by_bot"],
  ["no answerer", { kind: "confirmation", answered_with: "default", answered_by_bot: null }, "answered_with"],
  ["an option that it hasn't", { option_ids: ["none"] }, "option_ids"],
  ["a default that it hasn't", { default_option: "none" }, "default_option"],
  ["no options", { options: null, option_ids: null }, "options"],
  ["options though it is no decision", { kind: "question" }, "options"],
])("an import refuses a question of people alone with %s", async (_, change, path) => {
  const { ben, project } = talk;
  const ticket = await talk.newTicket();
  const asked = await talk.ask(ticket, { ...DECISION, resolver: "human_only" });
  await talk.done("POST", `${asked.path}/answer`, { option_ids: ["2gb"] }, ben);
  const exported = await talk.done("GET", `${project.path}/export`, undefined, project.admin);
  const record = exported.records.find(({ id }: { id: string }) => id === ticket.id);
  const questions = [{ ...record.questions[0], ...change }];
  const { status, body } = await harness.now.call("POST", `${project.path}/import`, {
    token: project.admin.token,
    body: { records: [{ ...record, questions }] },
  });
  expect([status, Object.keys(body.fieldErrors)]).toEqual([400, [`records.0.questions.0.${path}`]]);
});

test("comments and questions come along whole into another installation, and nobody there is told", async () => {
  const { ann, ben, annsKey, project } = talk;
  const ticket = await talk.newTicket({ request_type: "decision_needed" });
  const first = await talk.done("POST", `${ticket.path}/comments`, { body: "First", idempotency_key: "c" });
  await talk.done("POST", `${ticket.path}/comments`, { body: "Reply", parent_id: first.id }, annsKey);
  const secret = await talk.done("POST", `${ticket.path}/comments`, { body: "secret", idempotency_key: "s" });
  await talk.done("DELETE", `${ticket.path}/comments/${secret.id}`);
  const task = await talk.claimedTask(ticket);
  const pending = await talk.ask(ticket, {
    task_id: task.id,
    addressee: { user_id: ben.id },
    idempotency_key: "q",
  });
  const decided = await talk.ask(ticket, DECISION);
  await talk.done("POST", `${decided.path}/answer`, { option_ids: ["2gb"], text: "for now" }, ben);
  const exported = await talk.done("GET", `${project.path}/export`, undefined, project.admin);
  expect(JSON.stringify(exported)).not.toContain("secret");

  const elsewhere = await openHarness();
  try {
    const there = await makeProject(elsewhere);
    const user = await makeUser(elsewhere, { accountId: there.accountId });
    await elsewhere.sql`update users set email = ${ben.email} where id = ${user.id}::uuid`;
    await elsewhere.sql`
      insert into project_members (project_id, user_id, role) values (${there.id}::uuid, ${user.id}::uuid, 'member')`;
    const call = async (method: string, path: string, body?: unknown) =>
      (await elsewhere.call(method, path, { token: there.admin.token, body })).body;
    const records = exported.records.filter(({ id }: { id: string }) => id === ticket.id);
    expect(await call("POST", `${there.path}/import`, { records })).toEqual({ imported: 1, existing: 0 });
    const path = `${there.path}/tickets/${ticket.id}`;
    expect(await call("GET", path)).toMatchObject({ pending_questions: 2 });
    const { comments } = await call("GET", `${path}/comments`);
    expect(comments).toMatchObject([
      { id: first.id, body: "First", author: { id: null, kind: "person" } },
      { body: "Reply", parent_id: first.id, author: { kind: "agent" } },
      { id: secret.id, body: null },
    ]);
    const { questions } = await call("GET", `${path}/questions`);
    expect(questions).toMatchObject([
      { made_with_ticket: true, status: "pending" },
      { id: pending.id, status: "pending", addressee_user_id: user.id, task_id: task.id },
      { id: decided.id, answer: { option_ids: ["2gb"], text: "for now", by: "person", user_id: user.id } },
    ]);
    await elsewhere.follow();
    const [told] = await elsewhere.sql`select count(*)::integer as count from notifications`;
    expect(told!.count).toBe(0);
    const answered = await elsewhere.call("POST", `${path}/questions/${pending.id}/answer`, {
      token: user.token,
      body: { text: "So" },
    });
    expect(answered.status).toBe(200);
    expect((await call("GET", `${path}/tasks/${task.id}`)).status).toBe("in_progress");
    const replay = await call("POST", `${path}/comments`, { body: "First", idempotency_key: "c" });
    expect(replay).toMatchObject({ id: first.id, _idempotent_replay: true });
    const again = await call("GET", `${there.path}/export`);
    expect(again.records[0].comments.map(({ id }: { id: string }) => id)).toEqual(
      comments.map(({ id }: { id: string }) => id),
    );
  } finally {
    await elsewhere.close();
  }
  expect(ann.id).not.toBe(ben.id);
});

test("an import refuses comments and questions that contradict themselves, by their place", async () => {
  const { project } = talk;
  const ticket = await talk.newTicket();
  await talk.done("POST", `${ticket.path}/comments`, { body: "First" });
  await talk.ask(ticket);
  const { records } = await talk.done("GET", `${project.path}/export`, undefined, project.admin);
  const record = records.find(({ id }: { id: string }) => id === ticket.id);
  for (
    const [part, change, path] of [
      ["comments", { body: null }, "comments.0.body"],
      ["comments", { parent_id: ticket.id }, "comments.0.parent_id"],
      ["questions", { status: "answered" }, "questions.0.ended_at"],
      ["questions", { task_id: ticket.id }, "questions.0.task_id"],
      ["questions", { superseded_by: ticket.id }, "questions.0.superseded_by"],
    ] as const
  ) {
    const wrong = { ...record, [part]: [{ ...record[part][0], ...change }] };
    const { status, body } = await talk.call(
      "POST",
      `${project.path}/import`,
      { records: [wrong] },
      project.admin,
    );
    expect([status, Object.keys(body.fieldErrors)]).toEqual([
      400,
      expect.arrayContaining([`records.0.${path}`]),
    ]);
  }
});
