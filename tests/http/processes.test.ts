import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from "vitest";
import { copyTemplate, dropPlace, type Place } from "../database.ts";
import { eventsOf, type EventStream, openEventStream } from "../event_stream.ts";
import { next, ticketInput } from "../factories.ts";
import { launchService, type ServiceProcess, startService } from "../service_process.ts";
import { until } from "../until.ts";

const ADMIN = { email: "root@example.test", password: "the first admin's password" };
const ENV = { ADMIN_EMAIL: ADMIN.email, ADMIN_PASSWORD: ADMIN.password };
/** The seconds after which no process remembers a right that was taken away. */
const FORGOTTEN_S = 5;

let place: Place;
let processes: ServiceProcess[];
let [one, two, three] = [] as unknown as [ServiceProcess, ServiceProcess, ServiceProcess];
let admin: string;
let project: string;
let streams: EventStream[] = [];

beforeAll(async () => {
  place = await copyTemplate(inject("template"));
  processes = await startProcesses();
  [one, two, three] = processes as [ServiceProcess, ServiceProcess, ServiceProcess];
  admin = await signIn(one, ADMIN);
  project = `/projects/${(await done(two, admin, "POST", "/projects", { name: "Spread" })).id}`;
});
afterEach(() => {
  for (const stream of streams) stream.close();
  streams = [];
});
afterAll(async () => {
  for (const process of new Set(processes)) expect(await process.stop()).toBe(0);
  await dropPlace(place);
});

/** Three processes that serve and two that work. The embedded database has one, which is all of them. */
async function startProcesses(): Promise<ServiceProcess[]> {
  if (!place.url) {
    const only = await startService(place, ENV);
    return [only, only, only];
  }
  const serving = await Promise.all([1, 2, 3].map(() => startService(place, { ...ENV, JOBS: "off" })));
  const working = [1, 2].map(() => launchService(place, { ...ENV, JOBS: "only" }));
  for (const worker of working) await until(() => worker.output.includes("runs its jobs"));
  return [...serving, ...working];
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

function call(process: ServiceProcess, token: string, method: string, path: string, body?: unknown) {
  return process.call(method, `/api${path}`, { headers: bearer(token), body });
}

/** Makes a call that must succeed. */
async function done(...[process, token, method, path, body]: Parameters<typeof call>) {
  const answer = await call(process, token, method, path, body);
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
  return answer.body;
}

async function signIn(process: ServiceProcess, body: { email: string; password: string }): Promise<string> {
  return (await process.call("POST", "/api/auth/login", { body })).body.access_token;
}

/** Makes a member of the project who is signed in, and an API key of theirs. */
async function makePerson() {
  const person = { email: `person${next()}@example.test`, password: `a long password ${next()}` };
  const { id } = await done(three, admin, "POST", "/users", { ...person, name: "Person" });
  await done(one, admin, "PUT", `${project}/members/${id}`, { role: "member" });
  const token = await signIn(two, person);
  const key = await done(three, token, "POST", "/keys", { name: "agent" });
  return { id, token, key: key.key, keyId: key.id };
}

async function makeTicket(): Promise<{ id: string; path: string }> {
  const { ticket } = await done(one, admin, "POST", `${project}/tickets`, ticketInput());
  return { id: ticket.id, path: `${project}/tickets/${ticket.id}` };
}

/** Asks a question as the key's agent, and returns the question's path. */
async function ask(process: ServiceProcess, key: string, ticket: { path: string }): Promise<string> {
  const { id } = await done(process, key, "POST", `${ticket.path}/questions`, { prompt: "Which limit?" });
  return `${ticket.path}/questions/${id}`;
}

/** Begins to wait for an answer, and returns once the process waits too. */
async function wait(process: ServiceProcess, token: string, question: string) {
  const before = await followers(process);
  const answer = call(process, token, "GET", `${question}?wait=50`);
  await until(async () => await followers(process) > before);
  return { answer };
}

async function follow(process: ServiceProcess, token: string): Promise<EventStream> {
  const before = await followers(process);
  const stream = await openEventStream(`${process.url}/api/events/stream`, bearer(token));
  streams.push(stream);
  await until(async () => await followers(process) > before);
  return stream;
}

async function followers(process: ServiceProcess): Promise<number> {
  return Number(/^handoff_event_followers (\d+)$/m.exec(await process.get("/metrics"))![1]);
}

/** Waits until each process refuses a call, which each must do in the promised time. */
async function refusedEverywhere(token: string, path: string, status: number): Promise<void> {
  for (const process of [one, two, three]) {
    await until(async () => (await call(process, token, "GET", path)).status === status, FORGOTTEN_S);
  }
}

test("the whole life of a ticket goes on from process to process, and streams of each hear all of it", async () => {
  const [ann, ben] = [await makePerson(), await makePerson()];
  const following = [await follow(one, ann.token), await follow(two, ben.key), await follow(three, admin)];
  const { id, path } = await makeTicket();
  expect((await done(two, ben.token, "GET", path)).version).toBe(1);

  const task = `${path}/tasks/${
    (await done(two, ann.token, "POST", `${path}/tasks`, {
      title: "Upload",
      role: "backend",
    })).id
  }`;
  const claims = await Promise.all([
    call(one, ann.key, "POST", `${task}/claim`, {}),
    call(three, ben.key, "POST", `${task}/claim`, {}),
  ]);
  expect(claims.map(({ status }) => status).sort()).toEqual([200, 409]);

  const question = await ask(one, ann.key, { path });
  const { answer } = await wait(three, ann.key, question);
  const waitsFor = async (process: ServiceProcess) =>
    (await done(process, ben.token, "GET", "/waiting")).waiting.map(({ id }: { id: string }) => id);
  expect(await waitsFor(three)).toContain(question.split("/").at(-1));
  await done(two, ben.token, "POST", `${question}/answer`, { text: "No limit" });
  expect((await answer).body).toMatchObject({ status: "answered", answer: { text: "No limit" } });
  expect(await waitsFor(one)).not.toContain(question.split("/").at(-1));
  expect((await call(three, ann.token, "POST", `${question}/answer`, { text: "2 GB" })).body.code)
    .toBe("already_answered");

  await done(three, admin, "PATCH", task, { status: "done" });
  const testCase = await done(one, ann.key, "POST", `${path}/test-cases`, {
    title: "Try",
    instruction: "Look.",
  });
  await done(two, ben.token, "POST", `${path}/test-cases/${testCase.id}/approve`);
  const comment = { body: "Done.", idempotency_key: crypto.randomUUID() };
  const first = await done(three, ann.key, "POST", `${path}/comments`, comment);
  expect(await done(one, ann.key, "POST", `${path}/comments`, comment)).toMatchObject({
    id: first.id,
    _idempotent_replay: true,
  });
  await done(two, admin, "PATCH", path, { status: "closed" });

  const hears = (stream: EventStream) => eventsOf(stream.text).filter(({ ticket }) => ticket?.id === id);
  for (const stream of following) await until(() => hears(stream).at(-1)?.type === "ticket.closed");
  const [heard, ...others] = following.map(hears);
  expect(others).toEqual([heard, heard]);
  expect([...new Set(heard!.map(({ type }) => type))]).toEqual([
    "ticket.created",
    "task.created",
    "task.changed",
    "question.created",
    "question.answered",
    "task.done",
    "test_case.created",
    "test_case.approved",
    "comment.created",
    "ticket.closed",
  ]);
  for (const process of [one, two, three]) {
    const { events } = await done(process, admin, "GET", `/events?after=${heard![0]!.seq - 1}&limit=200`);
    expect(events.filter(({ ticket }: { ticket?: { id: string } }) => ticket?.id === id)).toEqual(heard);
  }

  await done(one, admin, "POST", `${project}/ai-suggestions/analysis`);
  await until(async () =>
    (await done(two, admin, "GET", `${project}/ai-suggestions/analysis`)).finished_at !== null
  );
});

describe("a right that one process takes away", () => {
  test("with the project: calls, waits and streams of the others tell its member nothing more", async () => {
    const [ann, ben] = [await makePerson(), await makePerson()];
    const [kept, lost] = [await follow(two, ann.token), await follow(two, ben.token)];
    const ticket = await makeTicket();
    const question = await ask(one, ann.key, ticket);
    const [annWaits, benWaits] = [
      await wait(three, ann.token, question),
      await wait(three, ben.token, question),
    ];
    await until(() => eventsOf(lost.text).some(({ type }) => type === "question.created"));
    await done(one, admin, "DELETE", `${project}/members/${ben.id}`);
    await refusedEverywhere(ben.token, project, 403);
    await done(one, admin, "POST", `${question}/answer`, { text: "No limit" });
    expect((await annWaits.answer).body.status).toBe("answered");
    expect((await benWaits.answer).status).toBe(404);
    await until(() => eventsOf(kept.text).some(({ type }) => type === "question.answered"));
    // The stream goes on, because its caller may see other projects.
    const other = `/projects/${(await done(two, admin, "POST", "/projects", { name: "Other" })).id}`;
    await done(three, admin, "PUT", `${other}/members/${ben.id}`, { role: "viewer" });
    await until(async () => (await call(two, ben.token, "GET", other)).status === 200);
    const made = await done(one, admin, "POST", `${other}/tickets`, ticketInput());
    await until(() => eventsOf(lost.text).some(({ ticket }) => ticket?.id === made.ticket.id));
    const ofTicket = eventsOf(lost.text).filter((event) => event.ticket?.id === ticket.id);
    expect(ofTicket.map(({ type }) => type)).toEqual(["ticket.created", "question.created"]);
  });

  test.each(["session", "key"] as const)(
    "with the %s: calls are refused, waits and streams end",
    async (what) => {
      const [ann, ben] = [await makePerson(), await makePerson()];
      const credential = what === "key" ? ben.key : ben.token;
      const stream = await follow(two, credential);
      const ticket = await makeTicket();
      const question = await ask(two, ann.key, ticket);
      const { answer } = await wait(three, credential, question);
      if (what === "key") await done(one, ben.token, "DELETE", `/keys/${ben.keyId}`);
      else await done(one, ben.token, "POST", "/auth/logout");
      await refusedEverywhere(credential, project, 401);
      await done(one, admin, "POST", `${question}/answer`, { text: "No limit" });
      expect((await answer).status).toBe(401);
      // A stream asks again with the next event.
      await until(async () => {
        await done(one, admin, "PATCH", ticket.path, { title: `Title ${next()}` });
        return stream.ended;
      }, FORGOTTEN_S);
    },
  );
});

test("the calls of a key count for all processes", async () => {
  const { key } = await makePerson();
  const left = async (process: ServiceProcess) => {
    const { headers } = await call(process, key, "GET", "/auth/me");
    return Number(/r=(\d+)/.exec(headers.get("RateLimit")!)![1]);
  };
  const before = await left(two);
  for (let n = 0; n < 100; n++) await left(one);
  let own = 0;
  await until(async () => await left(two) <= before - 100 - ++own);
});
