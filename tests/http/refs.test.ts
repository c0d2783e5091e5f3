import superjson from "superjson";
import { v7 as uuid } from "uuid";
import { describe, expect, test } from "vitest";
import { publishedProcedures } from "../../src/http/procedures.ts";
import { makeMember, makeProject, makeTicket, type TestTicket, useProject } from "../factories.ts";
import { type CallOptions, useHarness } from "../harness.ts";
import { expectError } from "./_calls.ts";

const harness = useHarness();
const project = useProject(harness);
const ofTicket = publishedProcedures().filter(({ pathFields }) => pathFields.includes("ticketId"));

const call = (method: string, path: string, options: CallOptions = {}) =>
  harness.now.call(method, path, { token: project.admin.token, ...options });

/**
 * Inputs for calls without an example in the document, or with an example about things that don't
 * exist here.
 */
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

  test("does by ref what it does by id, over REST and tRPC", async () => {
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

/** Tickets that the body or the query names. */
const ofTickets = publishedProcedures().flatMap((procedure) =>
  Object.keys(procedure.rest.shape).filter((field) => /ticket/i.test(field) && !/ref$/.test(field))
    .map((field) => [procedure.name, field, procedure] as const)
);

/** A ticket with a task, a notification for the project's admin and a suggestion. */
async function makeNoted(archived: boolean): Promise<TestTicket> {
  const ticket = await makeTicket(harness.now, project);
  const { token } = await makeMember(harness.now, project, "member");
  const { status } = await harness.now.call("POST", `${ticket.path}/comments`, {
    token,
    body: { body: `@[x](${project.admin.id}) look` },
  });
  expect(status).toBe(201);
  await call("POST", `${ticket.path}/tasks`, { body: { title: "Look", role: "backend" } });
  await harness.now.follow();
  if (archived) await call("POST", "/inbox/archive", { body: { ticket_ids: [ticket.id] } });
  await harness.now.sql`
    insert into suggestions (id, project_id, kind, ticket_id, title, rationale, confidence, evidence, fingerprint)
    values (gen_random_uuid(), ${project.id}::uuid, 'stale', ${ticket.id}::uuid, 'Old', 'Nothing happens', 1, '{}', ${ticket.id})`;
  return ticket;
}

describe.each(ofTickets)("%s names tickets in %s", (name, field, procedure) => {
  const { meta, type, input } = procedure;
  /** A link is of another ticket than the one that it names. */
  const isOfTicket = procedure.pathFields.includes("ticketId");
  const inputOf = async (names: string[]) => ({
    ...("id" in input.shape && { id: project.id }),
    ...(isOfTicket && { ticketId: (await makeTicket(harness.now, project)).id }),
    ...meta.example?.input as object | undefined,
    [field]: field.endsWith("s") ? names : names[0],
  });
  const rest = async (names: string[]) => {
    const { id: _, ticketId, ...fields } = await inputOf(names) as Record<string, string>;
    const query = meta.method === "GET" ? `?${new URLSearchParams(fields)}` : "";
    const path = meta.path.replace("{id}", project.id).replace("{ticketId}", ticketId ?? "");
    const answer = await call(meta.method, path + query, {
      ...meta.method !== "GET" && { body: fields },
    });
    return answer.body;
  };
  const trpc = async (names: string[]) => (await send(name, type, await inputOf(names))).data;
  const archived = name === "inbox.restore";
  /** Returns how many tickets were changed or found. */
  const countIn = (answer: unknown) => {
    const { updated, count, tasks, claimed, ticket } = answer as {
      updated?: number;
      count?: number;
      tasks?: unknown[];
      claimed?: unknown;
      ticket?: unknown;
    };
    return updated ?? count ?? tasks?.length ?? (claimed || ticket ? 1 : undefined);
  };

  test.each([["REST", rest], ["tRPC", trpc]])("by id or ref, in any case, over %s", async (_, ask) => {
    expect(countIn(await ask([(await makeNoted(archived)).id]))).toBe(1);
    expect(countIn(await ask([(await makeNoted(archived)).ref]))).toBe(1);
    expect(countIn(await ask([(await makeNoted(archived)).ref.toLowerCase()]))).toBe(1);
  });

  test("and takes another account's ref for unknown", async () => {
    const stranger = await makeTicket(harness.now, await makeProject(harness.now));
    for (const ref of [stranger.ref, `${project.key}-99999`]) {
      const answer = await rest([ref]);
      const refusal = isOfTicket ? "invalid_request" : "not_found";
      expect(countIn(answer) ?? answer.code).toBe(field.endsWith("s") ? 0 : refusal);
    }
    for (const strange of ["HO", `${project.key}-0`, "12"]) {
      expect(Object.values((await rest([strange])).fieldErrors)).toEqual([
        "Expected a UUID or a ref such as HO-12",
      ]);
    }
  });
});

test("a bulk call counts a ticket once, by any of its names, and tells an unknown ref as it was sent", async () => {
  const ticket = await makeTicket(harness.now, project);
  const unknown = `${project.key}-99999`;
  const ticket_ids = [ticket.ref, ticket.id, ticket.ref.toLowerCase(), unknown, unknown.toLowerCase()];
  const { body } = await call("POST", `${project.path}/tickets/bulk`, {
    body: { action: "close", ticket_ids },
  });
  expect(body.updated).toBe(1);
  expect(body.results.map(({ id, ok }: { id: string; ok: boolean }) => [id, ok])).toEqual([
    [ticket.id, true],
    [unknown, false],
  ]);
  expect(body.errors).toEqual([{ id: unknown, code: "not_found", error: "No such ticket in this project" }]);
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
