import superjson from "superjson";
import { v7 as uuid } from "uuid";
import { describe, expect, test } from "vitest";
import { publishedProcedures } from "../../src/http/procedures.ts";
import { makeProject, makeTicket, type TestTicket, useProject } from "../factories.ts";
import { type CallOptions, useHarness } from "../harness.ts";
import { expectError } from "./_calls.ts";

const harness = useHarness();
const project = useProject(harness);
const ofTicket = publishedProcedures().filter(({ pathFields }) => pathFields.includes("ticketId"));

const call = (method: string, path: string, options: CallOptions = {}) =>
  harness.now.call(method, path, { token: project.admin.token, ...options });

/** Where the documents' own example says nothing, or not of what there is here. */
const BODIES: Record<string, () => unknown> = {
  "agents.register": () => ({ agent_id: `bc_${uuid()}` }),
  "integrations.linkIssue": () => ({ issue_number: 12, repo_full_name: "acme/handoff" }),
};

/** A ticket with one of each of its parts, and the ids of these as path fields. */
async function makeWhole(): Promise<TestTicket & { fields: Record<string, string> }> {
  const ticket = await makeTicket(harness.now, project, { roles: ["qa"] });
  const make = async (path: string, body: unknown) =>
    (await call("POST", `${ticket.path}/${path}`, { body })).body.id;
  const fields = {
    role: "qa",
    taskId: await make("tasks", { title: "Look", role: "qa" }),
    caseId: await make("test-cases", { title: "Look", instruction: "Look." }),
    runId: await make("agent-runs", { agent_id: `bc_${uuid()}` }),
  };
  return { ...ticket, fields };
}

describe.each(ofTicket.map((procedure) => [procedure.name, procedure] as const))("%s", (name, procedure) => {
  const { meta, type, input } = procedure;

  test("does by ref what it does by id, at both doors", async () => {
    const makeBody = () => meta.method === "GET" ? undefined : BODIES[name]?.() ?? meta.example?.input ?? {};
    const rest = async (of: "id" | "ref") => {
      const { fields, [of]: ticketId } = await makeWhole();
      const named: Record<string, string> = { id: project.id, ticketId, ...fields };
      const answer = await call(meta.method, meta.path.replace(/\{(\w+)\}/g, (_, field) => named[field]!), {
        body: makeBody(),
      });
      return [answer.status, answer.body?.code, Object.keys(answer.body ?? {})];
    };
    const trpc = async (of: "id" | "ref") => {
      const { fields, [of]: ticketId } = await makeWhole();
      const parts = Object.entries(fields).filter(([field]) => field in input.shape);
      const sent = { id: project.id, ticketId, ...Object.fromEntries(parts), ...makeBody() as object };
      const answer = await send(name, type, sent);
      return [answer.status, Object.keys(answer.data ?? {})];
    };
    expect(await rest("ref")).toEqual(await rest("id"));
    expect(await trpc("ref")).toEqual(await trpc("id"));
  });

  test("takes the ref of no ticket, and of another project's, for unknown", async () => {
    const other = await makeTicket(harness.now, await makeProject(harness.now, { admin: project.admin }));
    for (const ref of [`${project.key}-99999`, other.ref]) {
      const path = meta.path.replace("{id}", project.id).replace("{ticketId}", ref)
        .replace("{role}", "qa").replace(/\{\w+\}/, uuid());
      expectError(
        await call(meta.method, path, { ...meta.method !== "GET" && { body: {} } }),
        404,
        "not_found",
      );
    }
  });
});

async function send(name: string, type: "query" | "mutation", input: unknown) {
  const text = superjson.stringify(input);
  const isQuery = type === "query";
  const query = isQuery ? `?input=${encodeURIComponent(text)}` : "";
  const response = await harness.now.request(isQuery ? "GET" : "POST", `/trpc/${name}${query}`, {
    token: project.admin.token,
    ...!isQuery && { raw: text, headers: { "content-type": "application/json" } },
  });
  const { result } = await response.json();
  return { status: response.status, data: result && superjson.deserialize<object | null>(result.data) };
}

test("a ref costs one statement more than an id, which itself costs nothing", async () => {
  const ticket = await makeTicket(harness.now, project);
  const read = (ticketId: string) => call("GET", `${project.path}/tickets/${ticketId}`);
  await read(ticket.id);
  const byId = await harness.now.count(() => read(ticket.id));
  expect(byId).toBe(1);
  expect(await harness.now.count(() => read(ticket.ref))).toBe(byId + 1);
});

test("a ref is read in either case, and another form is refused by name", async () => {
  const ticket = await makeTicket(harness.now, project);
  const { status, body } = await call("GET", `${project.path}/tickets/${ticket.ref.toLowerCase()}`);
  expect([status, body.id]).toEqual([200, ticket.id]);
  for (const strange of ["HO", "HO-0", "HO-1x", `${project.key}-1e3`, "12"]) {
    const refused = await call("GET", `${project.path}/tickets/${strange}/tasks`);
    expectError(refused, 400, "invalid_request");
    expect(refused.body.fieldErrors).toEqual({ ticketId: "Expected a UUID or a ref such as HO-12" });
  }
});
