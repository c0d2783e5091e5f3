import { beforeAll, expect, test } from "vitest";
import { makeProject, makeTicket, type TestProject, type TestTicket } from "../factories.ts";
import { useHarness } from "../harness.ts";
import { expectError, expectFields } from "./_calls.ts";

const harness = useHarness();
let project: TestProject;
let ticket: TestTicket;
beforeAll(async () => {
  project = await makeProject(harness.now);
  ticket = await makeTicket(harness.now, project);
});

/**
 * UUIDs by RFC 4122's grammar and `format: uuid`, whose version or variant nobody has given out.
 */
const OTHER = [
  "11111111-1111-1111-1111-111111111111",
  "aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa",
  "DEADBEEF-dead-beef-dead-beefdeadbeef",
  "00000000-0000-0000-0000-000000000001",
];

const call = (method: string, path: string, body?: unknown) =>
  harness.now.call(method, path, { token: project.admin.token, body });

test.each(OTHER)("%s is unknown as any other id is", async (id) => {
  expectError(await call("GET", `/projects/${id}/tickets`), 403, "forbidden");
  expectError(await call("GET", `/projects/${id}/tickets/${id}/github-issue`), 404, "not_found");
  expectError(await call("GET", `${project.path}/tickets/${id}`), 404, "not_found");
  expectError(await call("GET", `${ticket.path}/tasks/${id}`), 404, "not_found");
  const { status, body } = await call("POST", `${project.path}/tickets/bulk`, {
    action: "move",
    stage: "validation",
    ticket_ids: [id, ticket.id],
  });
  expect({ status, updated: body.updated }).toEqual({ status: 200, updated: 1 });
  expect(body.errors).toMatchObject([{ id: id.toLowerCase(), code: "not_found" }]);
});

test.each(["11111111111111111111111111111111", "{11111111-1111-1111-1111-111111111111}", "g".repeat(36)])(
  "%s is no id",
  async (id) =>
    expectFields(await call("POST", `${ticket.path}/tasks/reorder`, { task_ids: [id] }), ["task_ids.0"]),
);
