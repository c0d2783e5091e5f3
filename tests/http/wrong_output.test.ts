import superjson from "superjson";
import { expect, test } from "vitest";
import { makeTicket, useProject } from "../factories.ts";
import { useHarness } from "../harness.ts";
import { logged } from "../logged.ts";

const harness = useHarness();
const project = useProject(harness);

/** Makes a task, and writes criteria past the verb that checks them. */
async function makeTaskWith(criteria: unknown): Promise<Record<"id" | "ticketId" | "taskId", string>> {
  const { token } = project.admin;
  const ticket = await makeTicket(harness.now, project);
  const path = `${project.path}/tickets/${ticket.id}/tasks`;
  const { body: task } = await harness.now.call("POST", path, { token, body: { title: "Step", role: "qa" } });
  const { sql } = harness.now;
  await sql.begin(async (tx) => {
    await tx`select set_config('handoff.actor', '{"kind":"job","id":"test"}', true)`;
    await tx`
      update tasks set acceptance_criteria = ${
      JSON.stringify(criteria)
    }::text::jsonb where id = ${task.id}::uuid`;
  });
  return { id: project.id, ticketId: ticket.id, taskId: task.id };
}

/** Reads the task over REST and over tRPC, and returns status and body of both. */
async function readBoth(input: Record<"id" | "ticketId" | "taskId", string>) {
  const { token } = project.admin;
  const path = `${project.path}/tickets/${input.ticketId}/tasks/${input.taskId}`;
  const rest = await harness.now.call("GET", path, { token });
  const query = encodeURIComponent(JSON.stringify(superjson.serialize(input)));
  const response = await harness.now.request("GET", `/trpc/tasks.get?input=${query}`, { token });
  const { result, error } = await response.json();
  const trpc = result ? superjson.deserialize(result.data) : superjson.deserialize<Failed>(error).data.body;
  return { rest, trpc: { status: response.status, body: trpc } };
}

interface Failed {
  data: { body: Record<string, unknown> };
}

test.each([
  ["a field too many", [{ text: "Works", done: true, secret: 1 }], [{ text: "Works", done: true }]],
  ["a missing field", [{ text: "Works" }], [{ text: "Works" }]],
  ["a field of another type", [{ text: "Works", done: "yes" }], [{ text: "Works", done: "yes" }]],
])("REST and tRPC answer alike to an output with %s", async (_, stored, told) => {
  const { rest, trpc } = await readBoth(await makeTaskWith(stored));
  expect(rest).toMatchObject({ status: 200, body: { acceptance_criteria: told } });
  expect(rest.body.acceptance_criteria).toEqual(told);
  expect(trpc).toEqual({ status: 200, body: rest.body });
});

test("an output without the form of its schema fails over both, and the log has the reason", async () => {
  const input = await makeTaskWith("no list");
  const log = await logged(async () => {
    const { rest, trpc } = await readBoth(input);
    const failure = { status: 500, body: { code: "internal" } };
    expect(rest).toMatchObject(failure);
    expect(trpc).toMatchObject(failure);
  });
  expect(log.split("\n").filter((line) => line.includes("is not a function"))).toHaveLength(2);
});
