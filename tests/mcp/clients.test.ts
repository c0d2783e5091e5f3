import { beforeAll, describe, expect, test } from "vitest";
import { visibleText } from "../../src/http/mcp_visible.ts";
import { makeKey, makeMember, makeTicket, type TestUser, useProject } from "../factories.ts";
import { useHarness } from "../harness.ts";
import { logged } from "../logged.ts";
import { Agent } from "./_agent.ts";

const harness = useHarness();
const project = useProject(harness);
const NAME = "Ada Person";
let token: string;
let agent: Agent;
let person: TestUser;

beforeAll(async () => {
  person = await makeMember(harness.now, project, "member");
  await harness.now.sql`update users set name = ${NAME} where id = ${person.id}::uuid`;
  ({ token } = await makeKey(harness.now, project.admin));
  agent = await Agent.connect(harness.now, token);
});

async function post(body: unknown, headers: Record<string, string> = {}, path = "/mcp") {
  return await harness.now.fetch(
    new Request(`http://handoff.test${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    }),
  );
}

const call = (name: string, args: unknown) => ({
  jsonrpc: "2.0",
  id: 7,
  method: "tools/call",
  params: { name, arguments: args },
});

describe("an answer", () => {
  test.each([
    ["*/*", undefined],
    [undefined, undefined],
    ["application/*;q=0.9", "application/json"],
    ["application/json", "application/json"],
    ["text/event-stream", "text/event-stream"],
    ["text/event-stream, application/json", undefined],
    ["application/json, text/event-stream;q=0", "application/json"],
  ])("comes to a client that accepts %s", async (accept, type) => {
    for (const name of ["get_context", "wait_for"]) {
      const args = name === "wait_for" ? { project: project.key, role: "design", wait_seconds: 0 } : null;
      const response = await post(call(name, args), accept === undefined ? {} : { accept });
      expect(response.status).toBe(200);
      if (type) expect(response.headers.get("content-type")).toContain(type);
      const text = await response.text();
      const message = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text);
      expect([message.id, message.result.isError ?? false]).toEqual([7, false]);
    }
  });

  test("comes from the address with a slash, too", async () => {
    expect((await post(call("get_context", {}), {}, "/mcp/")).status).toBe(200);
  });

  test("to more than 20 messages at once is a refusal", async () => {
    const messages = (count: number) =>
      Array.from({ length: count }, (_, id) => ({ jsonrpc: "2.0", id, method: "tools/list" }));
    expect((await post(messages(20))).status).toBe(200);
    const refused = await post(messages(21));
    expect([refused.status, (await refused.json()).code]).toEqual([400, "invalid_request"]);
  });

  test("to a call that is too long is the tool's failure", async () => {
    const { ref } = await makeTicket(harness.now, project);
    const { isError, body } = await agent.call("update_ticket", {
      ticket: ref,
      evidence: { log: "x".repeat(300_000) },
    });
    expect([isError, body.code]).toEqual([true, "payload_too_large"]);
  });
});

test("null of an optional argument is absent, at any depth, and free JSON keeps its nulls", async () => {
  expect(await agent.do("find_tickets", { project: project.key, q: null, stage: null, limit: null }))
    .toBeDefined();
  expect(await agent.do("get_context", { since: null, agent: null })).toBeDefined();
  const { ref } = await agent.do("create_ticket", {
    project: project.key,
    title: "Import stops at row 900",
    description: "The import stops without a message.",
    type: "bug",
    roles: ["backend"],
    priority: "low",
    blocking: false,
    suggested_resolution: null,
    evidence: { row: null, log: [null] },
  });
  const { evidence } = await agent.do("get_ticket", { ticket: ref });
  expect(JSON.parse(evidence)).toEqual({ row: null, log: [null] });
  await agent.do("add_tasks", {
    ticket: ref,
    tasks: [{ title: "Look", role: "backend", body: null, after: null }],
  });
  const { body } = await agent.call("create_ticket", { project: project.key, title: null });
  expect(body.issues.map(({ path }: { path: string }) => path)).toContain("title");
});

test("no schema of a tool has a format that Gemini refuses", async () => {
  const { tools } = await agent.client.listTools();
  const formats =
    JSON.stringify(tools.map(({ inputSchema, outputSchema }) => [inputSchema, outputSchema])).match(
      /"format":"[^"]*"/g,
    ) ?? [];
  expect(formats).toEqual([]);
});

test("hints of tools are true", async () => {
  const { tools } = await agent.client.listTools();
  const idempotent = tools.filter(({ annotations }) => annotations?.idempotentHint).map(({ name }) => name);
  expect(idempotent.sort()).toEqual(["move_tickets", "update_ticket"]);
});

test("a failure is short: no sentence twice, no request id, one fault of a value", async () => {
  const { ref } = await makeTicket(harness.now, project);
  const wrong = await agent.call("update_ticket", { ticket: ref, roles: "backend" });
  expect(Object.keys(wrong.body).sort()).toEqual(["code", "error", "issues", "next"]);
  expect(wrong.body.issues).toHaveLength(1);
  await agent.do("update_ticket", { ticket: ref, priority: "high" });
  const late = await agent.call("update_ticket", { ticket: ref, priority: "low", version: 1 });
  expect(late.body.error).toMatch(/^Its version is \d+ now$/);
  const decision = await agent.call("create_ticket", { project: project.key, type: "decision_needed" });
  expect(JSON.stringify(decision.body.issues)).toContain("ask_human");
});

test("a tool call is logged with its whole duration", async () => {
  const { ref } = await makeTicket(harness.now, project);
  const log = await logged(async () => {
    const response = await post(call("wait_for", { ticket: ref, wait_seconds: 1 }));
    await response.text();
  });
  const line = log.split("\n").filter(Boolean).map((line) => JSON.parse(line)).find(({ procedure }) =>
    procedure === "mcp.wait_for"
  );
  expect(line.ms).toBeGreaterThanOrEqual(900);
});

describe("a text of others", () => {
  test.each([
    ["safe \u202Egnp.exe\u202C file", "safe gnp.exe file"],
    ["a\u{E0041}\u{E0042}b", "ab"],
    ["zero\u200Bwidth\u2060\uFEFF", "zerowidth"],
    ["la\u200Dtin\u200C", "latin"],
    ["x\uFE01\uFE02\uFE03y", "x\uFE01y"],
  ])("loses what nobody sees", (text, clean) => expect(visibleText(text)).toBe(clean));

  test.each([
    "👩‍👩‍👧 ❤️‍🔥 👍🏽 1️⃣",
    "\u{1F3F4}\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F} Scotland",
    "می\u200Cخواهم",
    "क्\u200Dष",
    "葛\u{E0100}飾",
    "שלום\u200F, world",
  ])("keeps what its script needs: %s", (text) => expect(visibleText(text)).toBe(text));

  test("reaches a model without it", async () => {
    const { ref, path } = await makeTicket(harness.now, project);
    await harness.now.call("POST", `${path}/comments`, {
      token: person.token,
      body: { body: "Look\u202E\u{E0049}\u{E0050} here" },
    });
    const { latest_comments } = await agent.do("get_ticket", { ticket: ref });
    expect(latest_comments[0].body).toBe("Look here");
  });
});

describe("ask_human", () => {
  const ask = async (args: Record<string, unknown>) => {
    const { ref } = await makeTicket(harness.now, project);
    return await agent.call("ask_human", { ticket: ref, question: "Which port?", ...args });
  };

  test.each([
    [{ options: ["80", "443"], yes_or_no: true }, "yes_or_no"],
    [{ options: ["80", "443", " 80"] }, "options.2"],
    [{ several: true }, "several"],
    [{ default_option: "80", options: ["80", "443"] }, "default_option"],
    [{ default_option: "8080", options: ["80", "443"], due_in_hours: 1 }, "default_option"],
    [{ to: "Nobody of that name" }, "to"],
  ])("refuses %j by the name of its fault", async (args, path) => {
    const { isError, body } = await ask(args);
    expect([isError, body.issues?.[0].path]).toEqual([true, path]);
  });

  test("names a person by name or e-mail, a time and a default, and withdraws", async () => {
    const asked = await ask({
      to: person.email,
      due_in_hours: 2,
      options: ["80", "443"],
      default_option: "443",
    });
    expect(asked.body).toMatchObject({ to: NAME, status: "pending" });
    const { ticket, question_id } = asked.body;
    const { body } = await harness.now.call("GET", `${project.path}/tickets/${ticket}/questions`, {
      token: person.token,
    });
    expect(body.questions[0]).toMatchObject({
      addressee_user_id: person.id,
      default_option: "2",
      due_at: expect.any(String),
    });
    expect((await ask({ to: "admins" })).body).toMatchObject({ to: "admins of the project" });
    expect(await agent.do("ask_human", { ticket, withdraw: question_id })).toMatchObject({
      status: "withdrawn",
    });
  });
});

test("a comment mentions people by name or e-mail, and lists those who fit an ambiguous name", async () => {
  const { ref, path } = await makeTicket(harness.now, project);
  const twins = [
    await makeMember(harness.now, project, "member"),
    await makeMember(harness.now, project, "member"),
  ];
  for (const { id } of twins) {
    await harness.now.sql`update users set name = 'Grace Twin' where id = ${id}::uuid`;
  }
  const made = await agent.do("comment", { ticket: ref, body: `Please look`, mention: [person.email] });
  expect(made.mentioned).toEqual([NAME]);
  const { body } = await harness.now.call("GET", `${path}/comments`, { token: person.token });
  expect(body.comments[0].mentions).toEqual([person.id]);
  const doubtful = await agent.call("comment", { ticket: ref, body: "Hi", mention: ["Grace"] });
  expect(doubtful.body.issues[0].message).toContain(twins[0]!.id);
  expect(doubtful.body.issues[0].message).toContain(twins[1]!.id);
});

test("move_tickets names an unknown ref among others as refused", async () => {
  const [one, two] = [await makeTicket(harness.now, project), await makeTicket(harness.now, project)];
  const moved = await agent.do("move_tickets", {
    tickets: [`${project.key}-99999`, one.ref, "NONE-1", two.ref.toLowerCase()],
    action: "move",
    stage: "up_next",
    dry_run: true,
  });
  expect(moved).toMatchObject({
    updated: 2,
    refused: [{ ticket: `${project.key}-99999`, code: "not_found" }, { ticket: "NONE-1", code: "not_found" }],
  });
});
