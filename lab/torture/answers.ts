import { setTimeout as pause } from "node:timers/promises";
import { TestMailServer } from "../../tests/smtp.ts";
import { type Books, type Options, type Scenario, until } from "./scenario.ts";
import { type Caller, Stage, withDatabase } from "./service.ts";

export const answers: Scenario = {
  name: "answers",
  summary: "kill -9 anywhere between a question, its answer and what is told of both",
  rounds: 50,
  run: killBetween,
};

const AGENTS = 6;

interface Asked {
  path: string;
  task: string;
  answer: string;
  agent: string;
}

async function killBetween(books: Books, { rounds, say }: Options): Promise<void> {
  const smtp = await TestMailServer.start();
  const stage = await Stage.open({ SMTP_URL: smtp.url, MAIL_FROM: "tickets@handoff.test" });
  const asked: Asked[] = [];
  try {
    await stage.start();
    const person = await stage.caller();
    for (let round = 0; round < rounds; round++) {
      const agents = await Promise.all(Array.from({ length: AGENTS }, () => agentKey(stage, person)));
      const talks = agents.map((agent, n) => talk(person, agent, `r${round}-${n}`));
      await pause(Math.random() * 600);
      await stage.kill();
      await stage.start();
      asked.push(...await Promise.all(talks));
      say(`round ${round + 1}/${rounds}: ${asked.length} answers`);
    }
    await checkAnswers(books, person, asked);
    await until(
      "every answer is mailed",
      180,
      async () =>
        await stage.release().then(() => undelivered(stage)) === 0
          ? true
          : (await stage.start(), await pause(20_000), false),
    );
    await checkNotifications(books, stage, asked, smtp);
  } finally {
    await stage.close();
    await smtp.stop();
  }
}

async function agentKey(stage: Stage, { token }: Caller): Promise<string> {
  const { key } = await stage.call<{ key: string }>(token, "POST", "/keys", { name: "agent" });
  return key;
}

/** An agent asks and waits; a person answers: each goes on asking for its part until it has its answer. */
async function talk(person: Caller, agent: string, name: string): Promise<Asked> {
  const agents = { ...person, token: agent };
  const draft = {
    title: `Torture ${name}`,
    description: `What is asked for under ${name}`,
    request_type: "bug",
  };
  const { ticket } = await repeat<{ ticket: { id: string } }>(agents, "POST", `${person.project}/tickets`, {
    ...draft,
    priority: "high",
    blocking: false,
    roles: ["qa"],
    idempotency_key: name,
  });
  const path = `${person.project}/tickets/${ticket.id}`;
  const task = await repeat<{ id: string }>(agents, "POST", `${path}/tasks`, {
    title: name,
    role: "qa",
    idempotency_key: name,
  });
  await repeat(agents, "POST", `${path}/tasks/${task.id}/claim`, {}, [409]);
  const question = await repeat<{ id: string }>(agents, "POST", `${path}/questions`, {
    prompt: `Which way for ${name}?`,
    task_id: task.id,
    idempotency_key: name,
  });
  const at = `${path}/questions/${question.id}`;
  const waiting = waitFor(agents, at);
  await pause(Math.random() * 300);
  const answer = `this way, ${name}`;
  await repeat(person, "POST", `${at}/answer`, { text: answer }, [409]);
  const { text } = await waiting;
  if (text !== answer) throw new Error(`${name}: the waiter got ${text}`);
  return { path: at, task: `${path}/tasks/${task.id}`, answer, agent };
}

/** Comes back after each lost connection. */
async function waitFor(agent: Caller, path: string): Promise<{ text: string }> {
  for (;;) {
    const question = await repeat<{ status: string; answer: { text: string } }>(
      agent,
      "GET",
      `${path}?wait=20`,
    );
    if (question.status !== "pending") return question.answer;
  }
}

/** Repeats a call until it is answered; a status of `done` means that it had happened before. */
async function repeat<T>(
  { url, token }: Caller,
  method: string,
  path: string,
  body?: unknown,
  done: readonly number[] = [],
): Promise<T> {
  for (;;) {
    try {
      const response = await fetch(`${url}/api${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: body === undefined ? null : JSON.stringify(body),
        signal: AbortSignal.timeout(60_000),
      });
      const json = await response.json();
      if (response.ok || done.includes(response.status)) return json;
      if (response.status < 500) {
        throw new RefusedCall(`${method} ${path}: ${response.status} ${JSON.stringify(json)}`);
      }
    } catch (error) {
      if (error instanceof RefusedCall) throw error;
    }
    await pause(50);
  }
}

class RefusedCall extends Error {}

async function checkAnswers(books: Books, person: Caller, asked: readonly Asked[]): Promise<void> {
  for (const { path, task, answer } of asked) {
    const question = await repeat<{ status: string; answer: { text: string } }>(person, "GET", path);
    books.expect(
      question.status === "answered" && question.answer.text === answer,
      `${path}: the answer is lost`,
    );
    const { status } = await repeat<{ status: string }>(person, "GET", task);
    books.expect(status === "in_progress", `${task}: its work does not go on, it is ${status}`);
  }
}

async function undelivered({ place }: Stage): Promise<number> {
  return await withDatabase(place, async (sql) => {
    const [row] = await sql<[{ n: number }]>`
      select ((select count(*) from notifications where undelivered and urgent and recipient_id = user_id)
        + (select count(*) from messages where state = 'pending'))::integer as n`;
    return row.n;
  });
}

/** Each question and each answer was told of, each answer applied once, and no mail has two ids. */
async function checkNotifications(books: Books, stage: Stage, asked: readonly Asked[], smtp: TestMailServer) {
  await withDatabase(stage.place, async (sql) => {
    const [row] = await sql<[{ people: number; agents: number; applied: number }]>`
      select (select count(*) from notifications n where n.recipient_id = n.user_id)::integer as people,
        (select count(*) from notifications n where n.recipient_id <> n.user_id)::integer as agents,
        (select count(*) from history h where h.entity = 'question' and h.changes -> 'status' ->> 1 = 'answered')::integer as applied`;
    books.expect(row.people === asked.length, `${row.people} people told of ${asked.length} questions`);
    books.expect(row.agents === asked.length, `${row.agents} agents told of ${asked.length} answers`);
    books.expect(row.applied === asked.length, `${row.applied} answers applied of ${asked.length}`);
  });
  const bySubject = Map.groupBy(smtp.received, ({ subject }) => subject);
  for (const [subject, mails] of bySubject) {
    books.expect(new Set(mails.map(({ id }) => id)).size === 1, `${subject}: mailed under several ids`);
  }
}
