import { setTimeout as pause } from "node:timers/promises";
import { TestMailServer } from "../../tests/smtp.ts";
import { send } from "../client.ts";
import { withDatabase } from "../database.ts";
import { times } from "../numbers.ts";
import { type Books, type Options, type Scenario, until } from "./scenario.ts";
import { type Caller, Stage } from "./service.ts";

export const answers: Scenario = {
  name: "answers",
  summary: "kill -9 anywhere between a question, its answer and what is told of both",
  rounds: 50,
  run: killBetween,
};

const AGENTS = 8;
/**
 * The longest life of a process. Mails are sent some two seconds after a start, and this is twice
 * as long.
 */
const LONGEST_LIFE_MS = 4_000;

interface Asked {
  path: string;
  task: string;
  answer: string;
}

interface Counts {
  asked: number;
  /**
   * The number of answers that got a 200. The other answers were stored, too, but their senders did
   * not learn of it.
   */
  acknowledged: number;
  returned: number;
}

/**
 * Agents ask and people answer without a pause, while the process is killed again and again. The
 * database stays the same, so a kill may come between any two lines of code.
 */
async function killBetween(books: Books, { rounds, say }: Options): Promise<void> {
  const smtp = await TestMailServer.start();
  const counts: Counts = { asked: 0, acknowledged: 0, returned: 0 };
  const stop = new AbortController();
  await Stage.play(async (stage) => {
    const person = await stage.caller();
    const agents = await Promise.all(times(AGENTS, () => agentOf(stage, person)));
    const talking = agents.map((agent, n) => keepTalking({ person, agent, counts, stop: stop.signal }, n));
    for (let round = 1; round <= rounds; round++) {
      await pause(Math.random() * LONGEST_LIFE_MS);
      await stage.kill();
      await stage.start();
      person.token = await stage.signIn();
      if (round % 10 === 0 || round === rounds) say(`${round} kills: ${told(counts)}`);
    }
    stop.abort();
    const asked = (await Promise.all(talking)).flat();
    await checkAnswers(books, person, asked);
    books.expect(counts.returned === asked.length, `${counts.returned} waiters returned of ${asked.length}`);
    await deliverTheRest(stage);
    say(`at the end: ${told(counts)}, ${await checkNotifications(books, stage, asked, smtp)}`);
  }, { SMTP_URL: smtp.url, MAIL_FROM: "tickets@handoff.test" }).finally(() => {
    stop.abort();
    return smtp.stop();
  });
}

function told({ asked, acknowledged, returned }: Counts): string {
  return `${asked} asked, ${acknowledged} answers acknowledged, ${returned} waiters returned`;
}

async function agentOf(stage: Stage, person: Caller): Promise<Caller> {
  const { key } = await stage.call<{ key: string }>(person.token, "POST", "/keys", { name: "agent" });
  return { ...person, token: key };
}

interface Talk {
  person: Caller;
  agent: Caller;
  counts: Counts;
  stop: AbortSignal;
}

async function keepTalking(talk: Talk, agent: number): Promise<Asked[]> {
  const asked: Asked[] = [];
  while (!talk.stop.aborted) asked.push(await talkOnce(talk, `${agent}-${asked.length}`));
  return asked;
}

/**
 * An agent asks a question and waits, and a person answers it. Each call is repeated until it has
 * an answer.
 */
async function talkOnce({ person, agent, counts }: Talk, name: string): Promise<Asked> {
  const { ticket } = await repeat<{ ticket: { id: string } }>(agent, "POST", `${person.project}/tickets`, {
    title: `Torture ${name}`,
    description: `What is asked for under ${name}`,
    request_type: "bug",
    priority: "high",
    blocking: false,
    roles: ["qa"],
    idempotency_key: name,
  });
  const path = `${person.project}/tickets/${ticket.id}`;
  const task = await repeat<{ id: string }>(agent, "POST", `${path}/tasks`, {
    title: name,
    role: "qa",
    idempotency_key: name,
  });
  await repeat(agent, "POST", `${path}/tasks/${task.id}/claim`, {}, [409]);
  const question = await repeat<{ id: string }>(agent, "POST", `${path}/questions`, {
    prompt: `Which way for ${name}?`,
    task_id: task.id,
    idempotency_key: name,
  });
  counts.asked++;
  const at = `${path}/questions/${question.id}`;
  const waiting = waitFor(agent, at);
  await pause(Math.random() * LONGEST_LIFE_MS);
  const answer = `this way, ${name}`;
  const body = { text: answer };
  const { status } = await repeat<{ status?: string }>(person, "POST", `${at}/answer`, body, [409]);
  if (status === "answered") counts.acknowledged++;
  const { text } = await waiting;
  if (text !== answer) throw new Error(`${name}: the waiter got ${text}`);
  counts.returned++;
  return { path: at, task: `${path}/tasks/${task.id}`, answer };
}

interface Question {
  status: string;
  answer: { text: string };
}

/** Waits for the answer, again after each lost connection. */
async function waitFor(agent: Caller, path: string): Promise<{ text: string }> {
  for (;;) {
    const question = await repeat<Question>(agent, "GET", `${path}?wait=20`);
    if (question.status !== "pending") return question.answer;
  }
}

/**
 * Repeats a call until it is answered. A status of `done` means that an earlier try was successful.
 */
async function repeat<T>(
  caller: Caller,
  method: string,
  path: string,
  body?: unknown,
  done: readonly number[] = [],
): Promise<T> {
  for (;;) {
    const call = { token: caller.token, body, signal: AbortSignal.timeout(60_000) };
    const answer = await send<T>(method, `${caller.url}/api${path}`, call).catch(() => null);
    if (answer?.ok || done.includes(answer?.status ?? 0)) return answer!.body;
    if (answer && answer.status < 500) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    await pause(50);
  }
}

async function checkAnswers(books: Books, person: Caller, asked: readonly Asked[]): Promise<void> {
  for (const { path, task, answer } of asked) {
    const question = await repeat<Question>(person, "GET", path);
    const isStored = question.status === "answered" && question.answer.text === answer;
    books.expect(isStored, `${path}: the answer is lost`);
    const { status } = await repeat<{ status: string }>(person, "GET", task);
    books.expect(status === "in_progress", `${task}: its work does not go on, it is ${status}`);
  }
}

/**
 * Lets the service send all messages that are not sent yet. A message that a killed process had
 * taken is due again only after minutes, so this function makes it due at once.
 */
async function deliverTheRest(stage: Stage): Promise<void> {
  await until("everything is delivered", 120, async () => {
    await stage.service.stop();
    const left = await withDatabase(stage.place, async (sql) => {
      await sql`update messages set next_try_at = now() where state = 'pending'`;
      const [row] = await sql<[{ n: number }]>`
        select ((select count(*) from notifications where undelivered and urgent)
          + (select count(*) from messages where state = 'pending')
          + (select count(*) from event_followers f, event_counter c where f.name = 'notifications' and f.seq < c.last_seq))::integer as n`;
      return row.n;
    });
    if (left === 0) return true;
    await stage.start();
    await pause(5_000);
    return false;
  });
}

/**
 * Checks that somebody was notified of each question and each answer, that each answer was applied
 * once, and that each mail that counts as sent has arrived under one id.
 */
async function checkNotifications(
  books: Books,
  { place }: Stage,
  asked: readonly Asked[],
  { received }: TestMailServer,
): Promise<string> {
  const { people, agents, applied, sent } = await withDatabase(place, async (sql) => {
    const [row] = await sql<[{ people: number; agents: number; applied: number; sent: string[] }]>`
      select (select count(*) from notifications n where n.recipient_id = n.user_id and n.reason = 'question')::integer as people,
        (select count(*) from notifications n where n.recipient_id <> n.user_id and n.reason = 'question')::integer as agents,
        (select count(*) from history h where h.entity = 'question' and h.changes -> 'status' ->> 1 = 'answered')::integer as applied,
        array(select m.id::text from messages m where m.state = 'sent') as sent`;
    return row;
  });
  books.expect(people === asked.length, `people were told of ${people} of ${asked.length} questions`);
  books.expect(agents === asked.length, `agents were told of ${agents} of ${asked.length} answers`);
  books.expect(applied === asked.length, `${applied} answers applied of ${asked.length}`);
  const arrived = new Set(received.map(({ id }) => id.slice(1, id.indexOf("@"))));
  for (const id of sent) books.expect(arrived.has(id), `mail ${id} counts as sent and never arrived`);
  for (const [subject, mails] of Map.groupBy(received, ({ subject }) => subject)) {
    books.expect(new Set(mails.map(({ id }) => id)).size === 1, `${subject}: mailed under several ids`);
  }
  return `${applied} answers applied once, ${people} people and ${agents} agents told, ${arrived.size} mails, ` +
    `${received.length - arrived.size} of them repeated under their id`;
}
