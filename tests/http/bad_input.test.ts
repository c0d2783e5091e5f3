import { beforeAll, describe, expect, test } from "vitest";
import { makeTicket, type TestTicket, ticketInput, useProject } from "../factories.ts";
import { useHarness } from "../harness.ts";
import { expectError, expectFields, post, ticketsOf } from "./_calls.ts";

const harness = useHarness();
const project = useProject(harness);
let ticket: TestTicket;
beforeAll(async () => {
  ticket = await makeTicket(harness.now, project);
});

/** Checks that the input is refused with these paths and that nothing is stored. */
async function refused(fields: Record<string, unknown>, paths: string[]): Promise<void> {
  const before = await ticketsOf(harness.now, project);
  expectFields(await post(harness.now, project, { body: ticketInput(fields) }), paths);
  expect(await ticketsOf(harness.now, project)).toBe(before);
}

describe("a wrong body is named by its paths", () => {
  test("every required field that is missing, all at once", async () => {
    const answer = await post(harness.now, project, { body: {} });
    expectFields(answer, ["title", "description", "request_type", "priority", "blocking"]);
    expect(answer.body.error).toBe("Invalid request: title: Required");
    expect(answer.body.fieldErrors).toMatchObject({ description: "Required", blocking: "Required" });
  });

  test.each<[string, Record<string, unknown>, string[]]>([
    ["a number for a text", { title: 12345 }, ["title"]],
    ["null for a text", { description: null }, ["description"]],
    ["a word for a boolean", { blocking: "yes" }, ["blocking"]],
    ["the word true for a boolean", { blocking: "true" }, ["blocking"]],
    ["a number for a boolean", { blocking: 1 }, ["blocking"]],
    ["another request type", { request_type: "Bug" }, ["request_type"]],
    ["another priority", { priority: "urgent" }, ["priority"]],
    ["a text for the roles", { roles: "qa" }, ["roles"]],
    ["another role", { roles: ["qa", "boss"] }, ["roles.1"]],
    ["a role twice", { roles: ["qa", "qa"] }, ["roles"]],
    ["two wrong roles", { roles: [1, "qa", null] }, ["roles.0", "roles.2"]],
    ["a list as evidence", { evidence: [1, 2] }, ["evidence"]],
    ["a text as evidence", { evidence: "log" }, ["evidence"]],
    ["null as evidence", { evidence: null }, ["evidence"]],
    ["an object for a text", { title: { toString: "x" } }, ["title"]],
    ["a list for a text", { title: ["a title of some length"] }, ["title"]],
    ["unknown fields", { titel: "x", Blocking: true }, ["titel", "Blocking"]],
    ["fields that only the service may set", {
      created_by: "me",
      status: "closed",
      stage: "live",
      ticket_ref: "HO-1",
      version: 9,
      merge_sha: "a".repeat(40),
    }, ["created_by", "status", "stage", "ticket_ref", "version", "merge_sha"]],
    ["path parameters in the body", { id: crypto.randomUUID() }, ["id"]],
    ["wrong and unknown ones together", { title: "x", nope: 1 }, ["title", "nope"]],
  ])("%s", (_, fields, paths) => refused(fields, paths));

  test.each([["[]"], ['"text"'], ["42"], ["true"]])("%s instead of an object", async (raw) => {
    const headers = { "content-type": "application/json" };
    const answer = await post(harness.now, project, { raw, headers });
    expectError(answer, 400, "invalid_request");
    expect(answer.body.issues).toEqual([{ path: "", message: "The body must be a JSON object" }]);
  });

  test("a field that is wrong twice by the first message, and by both among the issues", async () => {
    const { status, body } = await harness.now.call("POST", `${ticket.path}/test-cases`, {
      token: project.admin.token,
      body: { title: "Try it", instruction: "Open it.", link: "x".repeat(2001) },
    });
    expect(status).toBe(400);
    const [first, second] = ["Must have at most 2000 characters", "Expected an http or https address"];
    expect(body.issues).toEqual([{ path: "link", message: first }, { path: "link", message: second }]);
    expect(body.fieldErrors).toEqual({ link: first });
  });

  test("a fraction of a whole number as such", async () => {
    const { body } = await harness.now.call("POST", `${ticket.path}/tasks`, {
      token: project.admin.token,
      body: { title: "Measure it", role: "qa", estimated_minutes: 1.5 },
    });
    expect(body.fieldErrors).toEqual({ estimated_minutes: "Expected a whole number" });
  });

  test("the same for every other method with a body", async () => {
    const { token } = project.admin;
    expectFields(await harness.now.call("PATCH", ticket.path, { token, body: { title: "x", nope: 1 } }), [
      "title",
      "nope",
    ]);
    const put = { token, body: { repositories: ["acme/app", "not a repo"] } };
    expectFields(await harness.now.call("PUT", `${project.path}/repositories`, put), ["repositories.1"]);
    const after = await harness.now.call("GET", project.path, { token });
    expect(after.body.repositories).toEqual([]);
  });
});

describe("a wrong path, query or header is named too", () => {
  test.each([
    ["GET", "/projects/HO/tickets", ["id"]],
    ["GET", "/projects/1234/tickets", ["id"]],
    ["GET", "/projects/%00/tickets", ["id"]],
    ["GET", "/projects/%F0%9F%8E%AB/tickets", ["id"]],
    ["GET", "/projects/%E0%A4%A/tickets", ["id"]],
    ["POST", "/projects/undefined/tickets", ["id"]],
    ["DELETE", "/keys/%27%3B%20drop%20table%20users", ["id"]],
  ])("%s %s", async (method, path, fields) => {
    const body = method === "POST" ? { body: ticketInput() } : {};
    expectFields(await harness.now.call(method, path, { token: project.admin.token, ...body }), fields);
  });

  test.each([
    ["HO", ["ticketId"]],
    ["HO-0", ["ticketId"]],
    ["HO-9999999999", ["ticketId"]],
    ["-1", ["ticketId"]],
    ["..%2f..", ["ticketId"]],
  ])("a ticket called %s", async (name, fields) => {
    const path = `${project.path}/tickets/${name}`;
    expectFields(await harness.now.call("GET", path, { token: project.admin.token }), fields);
  });

  test.each([
    ["limit=0", ["limit"]],
    ["limit=201", ["limit"]],
    ["limit=-5", ["limit"]],
    ["limit=1.5", ["limit"]],
    ["limit=1e2", ["limit"]],
    ["limit=", ["limit"]],
    ["limit=ten", ["limit"]],
    ["limit=99999999999999999999", ["limit"]],
    ["limit=10&limit=20", ["limit"]],
    ["stage=done", ["stage"]],
    ["stage=backlog&stage=live", ["stage"]],
    ["blocking=1", ["blocking"]],
    ["blocking=yes", ["blocking"]],
    ["sort=title", ["sort"]],
    ["sort=--priority", ["sort"]],
    ["q=", ["q"]],
    [`q=${"x".repeat(201)}`, ["q"]],
    ["q=a%00b", ["q"]],
    ["page=2", ["page"]],
    ["limit=0&stage=done&page=2", ["limit", "stage", "page"]],
    ["id=0190d3c1-6c7a-7bd1-a0f5-6d1f3c2b9e10", ["id"]],
    ["__proto__=x", ["__proto__"]],
    ["constructor=x&toString=y", ["constructor", "toString"]],
    ["limit[]=5", ["limit[]"]],
  ])("?%s", async (query, fields) => {
    const path = `${project.path}/tickets?${query}`;
    expectFields(await harness.now.call("GET", path, { token: project.admin.token }), fields);
  });

  test.each([
    ["rubbish", btoa("rubbish")],
    ["a text for the id", btoa(JSON.stringify(["2026-01-01T00:00:00.000Z", "x"]))],
    ["a text for the time", btoa(JSON.stringify(["yesterday", crypto.randomUUID()]))],
    ["a time that doesn't exist", btoa(JSON.stringify(["2026-02-30T00:00:00.000Z", crypto.randomUUID()]))],
    ["too many values", btoa(JSON.stringify(Array(3).fill(crypto.randomUUID())))],
    ["no values", btoa("[]")],
    ["objects", btoa(JSON.stringify([{}, {}]))],
    ["a deep list", btoa("[".repeat(300))],
    ["SQL", btoa(JSON.stringify(["2026-01-01T00:00:00.000Z", "' or 1=1 --"]))],
    ["odd letters", "äöü"],
    ["too long a text", "a".repeat(501)],
  ])("a cursor made of %s", async (_, made) => {
    const cursor = encodeURIComponent(made.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", ""));
    const { token } = project.admin;
    expectFields(await harness.now.call("GET", `${project.path}/tickets?cursor=${cursor}`, { token }), [
      "cursor",
    ]);
    for (const sort of ["priority", "updated_at"]) {
      const path = `${project.path}/tickets?sort=${sort}&cursor=${cursor}`;
      expectFields(await harness.now.call("GET", path, { token }), ["cursor"]);
    }
    for (const path of ["/projects", "/users"]) {
      expectFields(await harness.now.call("GET", `${path}?cursor=${cursor}`, { token }), ["cursor"]);
    }
  });

  test("a query beside a body stands in for none of its fields", async () => {
    const path = `${project.path}/tickets?priority=high&source=query`;
    const before = await ticketsOf(harness.now, project);
    const { priority: _, ...body } = ticketInput();
    const answer = await harness.now.call("POST", path, { token: project.admin.token, body });
    expectFields(answer, ["priority", "source"]);
    expect(await ticketsOf(harness.now, project)).toBe(before);
  });

  test("of a query beside a body the first hundred fields are named", async () => {
    const names = Array.from({ length: 1000 }, (_, at) => `field${at}`);
    expectFields(
      await harness.now.call("POST", `/auth/login?${names.join("&")}`, { body: {} }),
      names.slice(0, 100),
    );
  });

  test.each([
    ["no ETag", "3"],
    ["a word", '"three"'],
    ["a number too large", '"99999999999"'],
    ["nothing", ""],
  ])("an If-Match that is %s", async (_, value) => {
    const answer = await harness.now.call("PATCH", ticket.path, {
      token: project.admin.token,
      headers: { "if-match": value },
      body: { title: "Another title" },
    });
    expect([400, 412]).toContain(answer.status);
    const after = await harness.now.call("GET", ticket.path, { token: project.admin.token });
    expect(after.body.title).not.toBe("Another title");
  });

  test("an Idempotency-Key that is empty, too long, or not the body's", async () => {
    const create = (key: string, fields = {}) =>
      post(harness.now, project, { headers: { "idempotency-key": key }, body: ticketInput(fields) });
    const before = await ticketsOf(harness.now, project);
    expectFields(await create(""), ["Idempotency-Key"]);
    expectFields(await create("x".repeat(129)), ["Idempotency-Key"]);
    expectFields(await create("one", { idempotency_key: "two" }), ["idempotency_key"]);
    expect(await ticketsOf(harness.now, project)).toBe(before);
    expect((await create("x".repeat(128))).status).toBe(201);
    expect((await create("same", { idempotency_key: "same" })).status).toBe(201);
  });

  test("headers that come twice are never one of the two", async () => {
    const { token } = project.admin;
    const twice = async (name: string, one: string, other: string, method = "GET") => {
      const headers = new Headers([["authorization", `Bearer ${token}`], [name, one], [name, other]]);
      if (name === "authorization") {
        headers.delete("authorization"), headers.append(name, one), headers.append(name, other);
      }
      const body = method === "GET" ? {} : { body: ticketInput() };
      return await harness.now.call(method, `${project.path}/tickets`, {
        headers: Object.fromEntries(headers),
        ...body,
      });
    };
    expectError(await twice("authorization", `Bearer ${token}`, "Bearer x"), 401, "unauthenticated");
    expectError(
      await twice("content-type", "application/json", "text/plain", "POST"),
      415,
      "unsupported_media_type",
    );
    const traced = await twice("x-request-id", "one", "two");
    expect(traced.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
    const first = await twice("idempotency-key", "one", "two", "POST");
    expect(first.status).toBe(201);
    const single = await post(harness.now, project, {
      headers: { "idempotency-key": "one" },
      body: ticketInput(),
    });
    expect(single.body._idempotent_replay).toBeUndefined();
  });
});
