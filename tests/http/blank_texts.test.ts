import { describe, expect, test } from "vitest";
import { makeTicket, makeUser, ticketInput, useProject } from "../factories.ts";
import { type Answer, useHarness } from "../harness.ts";
import { expectFields } from "./_calls.ts";

const harness = useHarness();
const project = useProject(harness);

/** Characters that nobody sees. */
const BLANKS = [
  " ",
  "\t",
  "\u00a0",
  "\u200b",
  "\u3000",
  "\u2800",
  "\u3164",
  "\ufeff",
  "\u2060\u200d",
  "\u00ad \u202c",
];

/** Characters that end a line, move the cursor of a terminal or turn the text around. */
const BREAKS = ["\n", "\r", "\t", "\u001b[31m", "\u0007", "\u0085", "\u2028", "\u2029", "\u202e", "\u202d"];

interface Door {
  name: string;
  field: string;
  isLine: boolean;
  send: (text: string) => Promise<Answer>;
}

const call = (method: string, path: string, body: Record<string, unknown>) =>
  harness.now.call(method, path, { token: project.admin.token, body });

const onTicket = async (method: string, path: string, body: Record<string, unknown>) =>
  await call(method, `${(await makeTicket(harness.now, project)).path}${path}`, body);

const DOORS: Door[] = [
  {
    name: "a new ticket",
    field: "title",
    isLine: true,
    send: (title) => call("POST", `${project.path}/tickets`, ticketInput({ title })),
  },
  {
    name: "a new ticket",
    field: "description",
    isLine: false,
    send: (description) => call("POST", `${project.path}/tickets`, ticketInput({ description })),
  },
  {
    name: "a changed ticket",
    field: "title",
    isLine: true,
    send: (title) => onTicket("PATCH", "", { title }),
  },
  {
    name: "a comment",
    field: "body",
    isLine: false,
    send: (body) => onTicket("POST", "/comments", { body }),
  },
  {
    name: "a question",
    field: "prompt",
    isLine: false,
    send: (prompt) => onTicket("POST", "/questions", { prompt }),
  },
  {
    name: "a task",
    field: "title",
    isLine: true,
    send: (title) => onTicket("POST", "/tasks", { title, role: "qa" }),
  },
  {
    name: "a test case",
    field: "instruction",
    isLine: false,
    send: (instruction) => onTicket("POST", "/test-cases", { title: "Look", instruction }),
  },
  {
    name: "a test case",
    field: "title",
    isLine: true,
    send: (title) => onTicket("POST", "/test-cases", { title, instruction: "Look" }),
  },
  { name: "a key", field: "name", isLine: true, send: (name) => call("POST", "/keys", { name }) },
  {
    name: "a label",
    field: "name",
    isLine: true,
    send: (name) => call("POST", `${project.path}/labels`, { name }),
  },
  {
    name: "a milestone",
    field: "name",
    isLine: true,
    send: (name) => call("POST", `${project.path}/milestones`, { name }),
  },
  { name: "a view", field: "name", isLine: true, send: (name) => call("POST", "/views", { name }) },
  {
    name: "a project",
    field: "name",
    isLine: true,
    send: (name) => call("POST", "/projects", { name, key: "BLANK" }),
  },
  {
    name: "a user",
    field: "name",
    isLine: true,
    send: async (name) => {
      const { token } = await makeUser(harness.now, { role: "admin" });
      return await harness.now.call("POST", "/users", { token, body: { email: "blank@example.test", name } });
    },
  },
];

describe.each(DOORS)("$name: $field", ({ field, send }) => {
  test.each(BLANKS)("of %j alone shows nothing and is refused", async (blank) => {
    expectFields(await send(blank.repeat(12)), [field]);
  });
});

describe.each(DOORS.filter(({ isLine }) => isLine))("$name: $field", ({ field, send }) => {
  test.each(BREAKS)("with %j is no line and is refused", async (mark) => {
    expectFields(await send(`Upload${mark} fails at 2 GB`), [field]);
  });
});

test.each([
  "\u202aC:\\logs\u202c is full",
  "👩‍👩‍👧 can't sign in",
  "  the page is empty\u200b",
  "\u2067العربية\u2069 is cut off",
  "नमस्ते\u200d fails",
])("a title with invisible characters beside others is stored as it was sent: %j", async (title) => {
  const { path } = await makeTicket(harness.now, project, { title });
  expect((await call("PATCH", path, { priority: "high" })).body["title"]).toBe(title);
});

test("a text of several lines keeps its lines", async () => {
  const body = "First\n\n\tcode\r\nLast \u001b[0m";
  expect((await onTicket("POST", "/comments", { body })).body["body"]).toBe(body);
});
