import { beforeAll, describe, expect, test } from "vitest";
import { listTool } from "../../src/http/mcp_definition.ts";
import { publishedProcedures } from "../../src/http/procedures.ts";
import { INSTRUCTIONS } from "../../src/mcp/instructions.ts";
import { TOOLS } from "../../src/mcp/tools.ts";
import { makeKey, makeTicket, useProject } from "../factories.ts";
import { useHarness } from "../harness.ts";
import { Agent } from "./_agent.ts";

/** A token of such JSON has some 3.8 bytes in the vocabularies of today's models. */
const BYTES_PER_TOKEN = 3.8;
const MAX_ANSWER_BYTES = 24 * 1024;

const procedures = new Map(publishedProcedures().map((procedure) => [procedure.name, procedure]));
const definitions = TOOLS.map((tool) => listTool(tool, procedures).definition);

describe("the list of tools", () => {
  test("costs a model at most 4,200 tokens", () => {
    const asModelsGetIt = definitions.map(({ name, description, inputSchema }) => ({
      name,
      description,
      inputSchema,
    }));
    const bytes = asModelsGetIt.reduce((sum, tool) => sum + JSON.stringify(tool).length, 0);
    expect(bytes / BYTES_PER_TOKEN).toBeLessThanOrEqual(4_200);
  });

  test.each(definitions.map((definition) => [definition.name, definition]))(
    "%s reads alike in all clients",
    (_, one) => {
      const text = JSON.stringify([one.inputSchema, one.outputSchema]);
      expect(text).not.toMatch(/"(\$ref|anyOf|oneOf|allOf|\$schema)":/);
      expect(text).not.toMatch(/"type":\[/);
      expect(text.length / BYTES_PER_TOKEN).toBeLessThanOrEqual(1_500);
    },
  );

  test("comes with instructions of at most 2 KiB", () => {
    expect(INSTRUCTIONS.length).toBeLessThanOrEqual(2048);
  });
});

/** Characters that take many bytes: in UTF-8, as an escape, and as an escape of an escape. */
const LONG = [["emoji", "😀"], ["control characters", "\u0001"], ["quotes", '"']] as const;

describe.each(LONG)("an answer about the largest texts, of %s, stays under its bound", (_, long) => {
  // A line has no control characters, and a text shows something.
  const inLine = long === "\u0001" ? "😀" : long;
  const textOf = (length: number) => `x${long.repeat(length - 1)}`;
  const harness = useHarness();
  const project = useProject(harness);
  let agent: Agent;
  let ref: string;
  let path: string;
  let taskId: string;
  let questionId: string;

  beforeAll(async () => {
    const { token } = await makeKey(harness.now, project.admin);
    agent = await Agent.connect(harness.now, token);
    for (let number = 0; number < 50; number++) {
      ({ ref, path } = await makeTicket(harness.now, project, {
        title: `${number} `.padEnd(100, "x") + inLine.repeat(40),
        description: textOf(5000),
        implementation_notes: textOf(5000),
        suggested_resolution: textOf(2000),
        evidence: { text: textOf(20_000) },
        roles: ["frontend", "backend", "design", "devops", "qa", "other"],
      }));
    }
    const call = (what: string, body: Record<string, unknown>) =>
      harness.now.call("POST", `${path}/${what}`, { token: project.admin.token, body });
    for (let number = 0; number < 60; number++) {
      const made = await call("tasks", {
        title: inLine.repeat(200),
        body: textOf(10_000),
        role: "backend",
        acceptance_criteria: Array.from({ length: 50 }, () => ({ text: textOf(500) })),
      });
      taskId = made.body.id;
      await call("test-cases", { title: inLine.repeat(200), instruction: textOf(5000) });
      await call("comments", { body: textOf(10_000) });
    }
    const options = Array.from({ length: 12 }, (_, at) => ({
      id: `o${at}`,
      label: `${at}`.padEnd(2) + inLine.repeat(198),
    }));
    const asked = await harness.now.call("POST", `${path}/questions`, {
      token,
      body: { kind: "decision", prompt: textOf(5000), options, selection: "multiple", allow_text: true },
    });
    questionId = asked.body.id;
    const answered = await call(`questions/${questionId}/answer`, {
      option_ids: options.map(({ id }) => id),
      text: textOf(5000),
    });
    expect(answered.status).toBe(200);
  });

  test.each([
    ["get_context", () => ({})],
    ["find_tickets", () => ({ project: project.key, limit: 50 })],
    ["get_ticket", () => ({ ticket: ref })],
    ["get_ticket", () => ({ ticket: ref, task_id: taskId })],
    ["get_ticket", () => ({ ticket: ref, part: "evidence" })],
    ["get_ticket", () => ({ ticket: ref, part: "comments" })],
    ["find_tasks", () => ({ project: project.key, limit: 50 })],
    ["claim_task", () => ({ ticket: ref, task_id: taskId, agent: "a" })],
    ["wait_for", () => ({ ticket: ref, question_id: questionId, wait_seconds: 0 })],
  ])("%s", async (name, args) => {
    const { isError, bytes } = await agent.call(name, args());
    expect(isError).toBe(false);
    expect(bytes).toBeLessThanOrEqual(MAX_ANSWER_BYTES);
  });

  test("a failure that names what was sent", async () => {
    const { isError, body, bytes } = await agent.call("find_tickets", { [long.repeat(30_000)]: 1 });
    expect([isError, body.code]).toEqual([true, "invalid_request"]);
    expect(bytes).toBeLessThanOrEqual(MAX_ANSWER_BYTES);
  });

  test("a page that is cut short goes on where it ended", async () => {
    const refs: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await agent.do("find_tickets", { project: project.key, limit: 50, cursor });
      refs.push(...page.tickets.map((ticket: { ref: string }) => ticket.ref));
      cursor = page.next_cursor;
    } while (cursor);
    expect(new Set(refs).size).toBe(50);
    expect(refs.length).toBe(50);
  });

  test("a text that is cut is read to its end in parts", async () => {
    let whole = "";
    for (let cursor: string | undefined = "0"; cursor !== undefined;) {
      const part: { text: string; next_cursor?: string } = await agent.do("get_ticket", {
        ticket: ref,
        part: "description",
        cursor,
      });
      whole += part.text;
      cursor = part.next_cursor;
    }
    expect(whole).toBe(textOf(5000));
  });
});
