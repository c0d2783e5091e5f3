import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  makeKey,
  makeMember,
  makeProject,
  makeTicket,
  type TestTicket,
  type TestUser,
  useProject,
} from "../factories.ts";
import { type Harness, openHarness, openHarnessAt, useHarness } from "../harness.ts";
import { serverUrl } from "../database.ts";
import { startTcpProxy, targetOf, throughProxy } from "../tcp_proxy.ts";
import { until } from "../until.ts";
import { Agent, type Era, ERAS } from "./_agent.ts";

const harness = useHarness();
const project = useProject(harness);
let person: TestUser;
let ticket: TestTicket;
let agent: Agent;

beforeAll(async () => {
  person = await makeMember(harness.now, project, "member");
  ticket = await makeTicket(harness.now, project);
  agent = await connect();
});

/** Serves the app on a socket, so that it must notice by itself when a client leaves. */
const server = Deno.serve(
  { port: 0, hostname: "127.0.0.1", onListen() {} },
  (request) => harness.now.fetch(request),
);
afterAll(() => server.shutdown());

async function connect(era: Era = "modern"): Promise<Agent> {
  const { token } = await makeKey(harness.now, project.admin);
  return await Agent.connect(harness.now, token, era, `http://127.0.0.1:${server.addr.port}`);
}

async function ask(by = agent): Promise<string> {
  const { question_id } = await by.do("ask_human", {
    ticket: ticket.ref,
    question: "May it be 50 GB?",
    yes_or_no: true,
  });
  return question_id;
}

async function answer(questionId: string, option = "yes") {
  const { status, body } = await harness.now.call("POST", `${ticket.path}/questions/${questionId}/answer`, {
    token: person.token,
    body: { option_ids: [option] },
  });
  if (status !== 200) throw new Error(JSON.stringify(body));
}

/** Waits until this number of callers wait. */
async function untilWaiting(count: number): Promise<void> {
  await until(() => harness.now.services.feed.size >= count);
}

/** Waits until the service has sent no statement about questions, tickets or keys for this time. */
async function untilQuiet(ms: number): Promise<void> {
  const sent = () => harness.now.statements.filter((text) => /questions|tickets|api_keys/.test(text)).length;
  let last = { count: sent(), at: performance.now() };
  await until(() => {
    if (sent() !== last.count) last = { count: sent(), at: performance.now() };
    return performance.now() - last.at > ms;
  });
}

test("200 waits hold no connection, send no statement, and each gets its own answer", async () => {
  const questions = await Promise.all(Array.from({ length: 200 }, () => ask()));
  const waits = questions.map((question_id) =>
    agent.do("wait_for", { ticket: ticket.ref, question_id, wait_seconds: 240 }, {
      onprogress() {},
      timeout: 300_000,
    })
  );
  await untilWaiting(200);
  // A wait that polled would never be quiet for so long.
  await untilQuiet(2_000);
  for (const [number, question] of questions.entries()) await answer(question, number % 2 ? "yes" : "no");
  const answers = await Promise.all(waits);
  expect(answers.map(({ question }) => question.answer.chosen[0])).toEqual(
    questions.map((_, number) => number % 2 ? "Yes" : "No"),
  );
});

test("the 501st wait of a user is refused, and other users wait on", async () => {
  const question_id = await ask();
  const waitOf = (one: Agent) =>
    one.call("wait_for", { ticket: ticket.ref, question_id, wait_seconds: 240 }, {
      onprogress() {},
      timeout: 300_000,
    });
  const waits = Array.from({ length: 500 }, () => waitOf(agent));
  await untilWaiting(500);
  const refused = await (await connect()).call("wait_for", { ticket: ticket.ref, question_id });
  expect([refused.isError, refused.body.code]).toEqual([true, "rate_limited"]);
  const { token } = await makeKey(harness.now, await makeMember(harness.now, project, "member", "bot"));
  const other = await Agent.connect(harness.now, token);
  expect(await other.do("wait_for", { ticket: ticket.ref, question_id, wait_seconds: 0 })).toMatchObject({
    done: false,
  });
  await answer(question_id);
  for (const { body } of await Promise.all(waits)) expect(body.question.status).toBe("answered");
  expect(await agent.do("wait_for", { ticket: ticket.ref, question_id })).toMatchObject({ done: true });
});

test("a wait without an answer ends by itself and says what to do", async () => {
  const waited = await agent.do("wait_for", {
    ticket: ticket.ref,
    question_id: await ask(),
    wait_seconds: 1,
  });
  expect(waited).toMatchObject({ done: false, question: { status: "pending" } });
  expect(waited.next).toContain("end your turn");
});

test("a wait for a ticket ends when it changes past the known version", async () => {
  // On a ticket with earlier answers, the wait would tell of them at once.
  const { ref } = await makeTicket(harness.now, project);
  const { version } = await agent.do("get_ticket", { ticket: ref });
  const waiting = agent.do("wait_for", { ticket: ref, version });
  await untilWaiting(1);
  const other = await connect();
  await other.do("update_ticket", { ticket: ref, priority: "high" });
  expect(await waiting).toMatchObject({ done: true, version: version + 1 });
});

test("a key that is revoked during the wait is not told the answer", async () => {
  const { id, token } = await makeKey(harness.now, project.admin);
  const other = await Agent.connect(harness.now, token);
  const question_id = await ask(other);
  const waiting = other.call("wait_for", { ticket: ticket.ref, question_id });
  await untilWaiting(1);
  await harness.now.call("DELETE", `/keys/${id}`, { token: project.admin.token });
  await answer(question_id);
  const { isError, body } = await waiting;
  expect([isError, body.code]).toEqual([true, "unauthenticated"]);
});

/** An agent in a project of another harness. */
async function standIn(harness: Harness, era: Era) {
  const project = await makeProject(harness);
  const ticket = await makeTicket(harness, project);
  const { token } = await makeKey(harness, project.admin);
  return { project, ticket, agent: await Agent.connect(harness, token, era) };
}

if (serverUrl) {
  test("a wait that loses the database ends in words, and asking again gives what happened", async () => {
    const { place } = harness.now;
    const proxy = startTcpProxy(targetOf(place.url!));
    const other = await openHarnessAt({ ...place, url: throughProxy(place.url!, proxy) });
    try {
      const { token } = await makeKey(harness.now, project.admin);
      const away = await Agent.connect(other, token);
      const question_id = await ask();
      const wait = () => away.call("wait_for", { ticket: ticket.ref, question_id });
      const waiting = wait();
      await until(() => other.services.feed.size === 1);
      proxy.cut();
      await answer(question_id);
      const { isError, body } = await waiting;
      if (isError) {
        expect(body).toMatchObject({ code: "unavailable", next: expect.stringContaining("call again") });
      }
      const again = await until(async () => {
        const { isError, body } = await wait();
        return !isError && body;
      });
      expect(again).toMatchObject({ done: true, question: { answer: { chosen: ["Yes"] } } });
    } finally {
      await other.stop();
      proxy.close();
    }
  });
}

describe.each(ERAS)("in the %s era", (era) => {
  test("a service that drains ends the wait, and the agent is told to wait again", async () => {
    const draining = await openHarness();
    const other = await standIn(draining, era);
    const waiting = other.agent.do("wait_for", { ticket: other.ticket.ref });
    // The wait has read the ticket and its news, and sends nothing until an event comes.
    await until(() =>
      draining.services.feed.size === 1 &&
      draining.statements.some((text) => text.includes("(key, ticket_id, after)"))
    );
    await draining.close();
    expect(await waiting).toMatchObject({ done: false, ticket: other.ticket.ref });
  });

  test("an agent that goes away leaves nothing behind", async () => {
    const other = await connect(era);
    const question_id = await ask(other);
    const waiting = other.call("wait_for", { ticket: ticket.ref, question_id });
    await untilWaiting(1);
    await Promise.all([expect(waiting).rejects.toThrow(), other.close()]);
    await until(() => harness.now.services.feed.size === 0);
    await answer(question_id);
    expect(await agent.do("wait_for", { ticket: ticket.ref, question_id })).toMatchObject({ done: true });
  });
});

describe("a client that takes handles", () => {
  const _meta = {
    "io.modelcontextprotocol/clientCapabilities": { extensions: { "io.modelcontextprotocol/tasks": {} } },
  };

  async function request(
    method: string,
    params: Record<string, unknown>,
    meta: Record<string, unknown> = _meta,
  ) {
    const { token } = await makeKey(harness.now, project.admin);
    const name = (params.name ?? params.taskId) as string;
    const response = await harness.now.request("POST", "/mcp", {
      token,
      headers: {
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": method,
        "mcp-name": name,
      },
      body: {
        jsonrpc: "2.0",
        id: 1,
        method,
        params: { ...params, _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28", ...meta } },
      },
    });
    const text = await response.text();
    // A tool that may wait answers by a stream.
    return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text);
  }

  const noCapability = { "io.modelcontextprotocol/clientCapabilities": {} };

  test("gets one instead of a call that lasts, and polls it to the answer", async () => {
    const question_id = await ask();
    const { result: task } = await request("tools/call", {
      name: "wait_for",
      arguments: { ticket: ticket.ref, question_id },
    });
    expect(task).toMatchObject({ resultType: "task", status: "working", ttlMs: null });
    expect((await request("tasks/get", { taskId: task.taskId })).result).toMatchObject({ status: "working" });
    await answer(question_id);
    const { result } = await request("tasks/get", { taskId: task.taskId });
    expect(result).toMatchObject({
      status: "completed",
      createdAt: task.createdAt,
      result: { structuredContent: { done: true, question: { answer: { chosen: ["Yes"] } } } },
    });
    expect((await request("tasks/cancel", { taskId: task.taskId })).result).toMatchObject({
      resultType: "complete",
    });
  });

  test("gets the answer itself when it is there already", async () => {
    const question_id = await ask();
    await answer(question_id);
    const { result } = await request("tools/call", {
      name: "wait_for",
      arguments: { ticket: ticket.ref, question_id },
    });
    expect(result.structuredContent).toMatchObject({ done: true });
  });

  test("is refused a handle of its own making for a tool that writes", async () => {
    const call = {
      tool: "update_ticket",
      args: { ticket: ticket.ref, title: "Forged by a handle" },
      createdAt: "2026-01-01T00:00:00.000Z",
    };
    const body = Buffer.from(JSON.stringify(call)).toString("base64url");
    for (const taskId of [body, `${body}.${"A".repeat(43)}`]) {
      expect((await request("tasks/get", { taskId })).error.code).toBe(-32602);
    }
  });

  test("is refused a made-up handle, and a handle without the capability", async () => {
    expect((await request("tasks/get", { taskId: "made-up" })).error.code).toBe(-32602);
    expect((await request("tasks/get", { taskId: "made-up" }, noCapability)).error.code).toBe(-32021);
  });
});

test("progress is told to a client that asks for it", async () => {
  const question_id = await ask();
  let heard = 0;
  const waiting = agent.do("wait_for", { ticket: ticket.ref, question_id, wait_seconds: 40 }, {
    onprogress: () => void heard++,
    timeout: 60_000,
  });
  await until(() => heard >= 1);
  await answer(question_id);
  expect(await waiting).toMatchObject({ done: true });
});
