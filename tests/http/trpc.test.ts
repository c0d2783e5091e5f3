import superjson from "superjson";
import { describe, expect, test } from "vitest";
import { bestTimes } from "../best_times.ts";
import { makeKey, makeMember, makeProject, makeTicket, ticketInput, useProject } from "../factories.ts";
import { type CallOptions, useHarness } from "../harness.ts";
import { expectNoInside, ticketsOf } from "./_calls.ts";
import { expectTrpcError, type Sent } from "./_trpc.ts";

const harness = useHarness();
const project = useProject(harness);

async function send(method: string, path: string, options: CallOptions = {}): Promise<Sent> {
  const response = await harness.now.request(method, `/trpc/${path}`, options);
  const text = await response.text();
  expectNoInside(text);
  return {
    status: response.status,
    headers: response.headers,
    body: text === "" ? undefined : JSON.parse(text),
  };
}

/** A mutation with its input in superjson. */
function mutate(
  name: string,
  input: unknown,
  token: string | undefined = project.admin.token,
): Promise<Sent> {
  return send("POST", name, { ...(token && { token }), body: superjson.serialize(input) });
}

function query(name: string, input: unknown, token: string | undefined = project.admin.token): Promise<Sent> {
  const value = encodeURIComponent(JSON.stringify(superjson.serialize(input)));
  return send("GET", `${name}?input=${value}`, token ? { token } : {});
}

const raw = (text: string) => ({
  raw: text,
  headers: { "content-type": "application/json" },
  token: project.admin.token,
});

describe("tRPC", () => {
  test("serves the same procedures with the same answers as REST", async () => {
    const created = await mutate("tickets.create", {
      id: project.id,
      ...ticketInput({ evidence: { a: [1, null] } }),
    });
    expect(created.status).toBe(200);
    const { ticket } = created.body.result.data.json;
    const got = await query("tickets.get", { id: project.id, ticketId: ticket.id });
    const rest = await harness.now.call("GET", `${project.path}/tickets/${ticket.id}`, {
      token: project.admin.token,
    });
    expect(superjson.deserialize(got.body.result.data)).toEqual(rest.body);
    expect(got.headers.get("x-request-id")).toBeTruthy();
  });

  test("keeps what superjson is for: an undefined field is an absent one", async () => {
    const created = await mutate("tickets.create", {
      id: project.id,
      ...ticketInput({ evidence: undefined }),
    });
    expect(created.status).toBe(200);
    const answer = await send("POST", "tickets.create", {
      token: project.admin.token,
      body: superjson.serialize({
        id: project.id,
        ...ticketInput({ evidence: { "a.b\\c": undefined, "": [undefined, { d: undefined }] } }),
      }),
    });
    const { ticket } = answer.body.result.data.json;
    const { body } = await query("tickets.get", { id: project.id, ticketId: ticket.id });
    expect(body.result.data.json.evidence).toEqual({ "": [null, {}] });
    const ended = await mutate("keys.revoke", { id: (await makeKey(harness.now, project.admin)).id });
    expect(superjson.deserialize(ended.body.result.data)).toBeUndefined();
  });

  test("takes an input that is not sent as an empty one, as REST does an absent body", async () => {
    const { token } = project.admin;
    const batch = encodeURIComponent(JSON.stringify({ "0": superjson.serialize(undefined) }));
    for (const path of ["auth.me", "auth.me?batch=1", `auth.me?batch=1&input=${batch}`]) {
      const { status, body } = await send("GET", path, { token });
      expect([status, [body].flat()[0].result.data.json.user.id], path).toEqual([200, project.admin.id]);
    }
    for (const text of ["", "{}"]) {
      const { status, body } = await send("POST", "keys.create", raw(text));
      expect([status, body.result.data.json.name], text).toEqual([200, "API key"]);
    }
    expectTrpcError(await send("GET", "projects.get", { token }), 400, "invalid_request");
    for (const text of ['{"name": "x"}', '{"json": null}', "null", "[]", '"text"', "5"]) {
      expectTrpcError(await send("POST", "keys.create", raw(text)), 400, "invalid_request");
    }
  });

  test("serves the pages of an infinite query, which sends a direction and may begin with null", async () => {
    const other = await makeProject(harness.now);
    for (let made = 0; made < 3; made++) await makeTicket(harness.now, other);
    const page = async (fields: Record<string, unknown>) => {
      const input = { id: other.id, limit: 2, ...fields };
      const { status, body } = await query("tickets.list", input, other.admin.token);
      expect(status).toBe(200);
      return body.result.data.json;
    };
    const first = await page({ direction: "forward", cursor: null });
    const second = await page({ direction: "forward", cursor: first.next_cursor });
    expect([first.tickets.length, second.tickets.length, second.next_cursor]).toEqual([2, 1, null]);
    const backward = await query("tickets.list", { id: project.id, direction: "backward" });
    expectTrpcError(backward, 400, "invalid_request");
    const { token } = project.admin;
    const rest = await harness.now.call("GET", `${project.path}/tickets?direction=forward`, { token });
    expect(rest.status).toBe(400);
  });

  test("reads evidence with any keys", async () => {
    const evidence = { constructor: { prototype: 1 }, toString: "x", nested: [{ prototype: null }] };
    const { id } = await makeTicket(harness.now, project, { evidence });
    const { status, body } = await query("tickets.get", { id: project.id, ticketId: id });
    expect(status).toBe(200);
    expect(body.result.data.json.evidence).toEqual(evidence);
  });

  test("answers several calls in one request, each by itself", async () => {
    const before = await ticketsOf(harness.now, project);
    const calls = [
      { id: project.id, ...ticketInput() },
      { id: project.id, ...ticketInput({ title: "x" }) },
      { id: crypto.randomUUID(), ...ticketInput() },
    ];
    const inputs = Object.fromEntries(calls.map((input, index) => [index, superjson.serialize(input)]));
    const { status, body } = await send("POST", "tickets.create,tickets.create,tickets.create?batch=1", {
      token: project.admin.token,
      body: inputs,
    });
    expect(status).toBe(207);
    expect(body[0].result.data.json.ticket.status).toBe("open");
    expect(body[1].error.json.data.body).toMatchObject({
      code: "invalid_request",
      fieldErrors: { title: expect.any(String) },
    });
    expect(body[2].error.json.data.body.code).toBe("forbidden");
    expect(await ticketsOf(harness.now, project)).toBe(before + 1);
  });

  const batchOf = (name: string, inputs: unknown[], options: CallOptions) =>
    send("POST", `${inputs.map(() => name).join(",")}?batch=1`, {
      ...options,
      body: Object.fromEntries(inputs.map((input, index) => [index, superjson.serialize(input)])),
    });

  test("counts every call of a batch against its key, and takes twenty in one", async () => {
    const { token } = await makeKey(harness.now, project.admin);
    const me = (count: number) => batchOf("auth.me", Array(count).fill({}), { token });
    const full = await me(20);
    expect([full.status, full.body.length]).toEqual([200, 20]);
    expect(full.headers.get("ratelimit")).toContain('"key";r=11980');
    expectTrpcError(await me(21), 400, "invalid_request");
  });

  test("takes no more of one call than REST does, alone or in a batch", async () => {
    const { token } = project.admin;
    const input = (bytes: number) => ({
      id: project.id,
      ...ticketInput({ evidence: { log: "x".repeat(bytes) } }),
    });
    const before = await ticketsOf(harness.now, project);
    const alone = await mutate("tickets.create", input(257 * 1024));
    expectTrpcError(alone, 413, "payload_too_large");
    const beside = await batchOf("tickets.create", [input(10), input(257 * 1024)], { token });
    expectTrpcError(beside, 413, "payload_too_large");
    expect(await ticketsOf(harness.now, project)).toBe(before);
    const three = await batchOf("tickets.create", [input(200_000), input(200_000), input(200_000)], {
      token,
    });
    expect(three.status).toBe(200);
  });

  test("takes no more of one call where another's is deep: each has its length in the text", async () => {
    const before = await ticketsOf(harness.now, project);
    const long = { id: project.id, ...ticketInput({ evidence: { log: "x".repeat(257 * 1024) } }) };
    const deep = '{"0":'.repeat(150) + "1" + "}".repeat(150);
    const inputs = `{"0":{"json":${JSON.stringify(long)}},"1":{"json":${deep}}}`;
    const answer = await send("POST", "tickets.create,tickets.create?batch=1", raw(inputs));
    expectTrpcError(answer, 413, "payload_too_large");
    expect(await ticketsOf(harness.now, project)).toBe(before);
  });

  test("takes no long input from who may not make the call that may have one", async () => {
    const input = { id: project.id, records: ["x".repeat(1024 * 1024)] };
    const { token } = await makeKey(harness.now, project.admin);
    expectTrpcError(await mutate("transfers.import", input, ""), 401, "unauthenticated");
    expectTrpcError(await mutate("transfers.import", input, token), 403, "insufficient_scope");
    expectTrpcError(await mutate("transfers.import", input), 400, "invalid_request");
  });

  test.each(["Idempotency-Key", "If-Match"])(
    "refuses %s for several calls: it is meant for one",
    async (name) => {
      const inputs = [0, 1].map(() => ({ id: project.id, ...ticketInput() }));
      const options = { token: project.admin.token, headers: { [name]: '"1"' } };
      const { status, body } = await batchOf("tickets.create", inputs, options);
      expect([status, Object.keys(body.error.json.data.body.fieldErrors)]).toEqual([400, [name]]);
      expect((await batchOf("tickets.create", inputs.slice(1), options)).status).toBe(200);
    },
  );

  test("sets the session cookie at login and tells limits, like REST", async () => {
    const { headers, body } = await mutate(
      "auth.login",
      { email: "nobody@example.test", password: "wrong" },
      "",
    );
    expect(body.error.json.data.body.code).toBe("invalid_credentials");
    expect(headers.get("ratelimit")).toContain('"login-email";r=9');
  });
});

describe("a refusal over tRPC", () => {
  test("carries the body that REST answers", async () => {
    const viewer = await makeMember(harness.now, project, "viewer");
    const input = { id: project.id, ...ticketInput() };
    expectTrpcError(await mutate("tickets.create", input, ""), 401, "unauthenticated");
    expectTrpcError(await mutate("tickets.create", input, "rubbish"), 401, "unauthenticated");
    expectTrpcError(await mutate("tickets.create", input, viewer.token), 403, "forbidden");
    const { token } = await makeKey(harness.now, project.admin, { scopes: ["tickets:read"] });
    expectTrpcError(await mutate("tickets.create", input, token), 403, "insufficient_scope");
    expectTrpcError(
      await query("tickets.get", { id: project.id, ticketId: crypto.randomUUID() }),
      404,
      "not_found",
    );
    expectTrpcError(await mutate("accounts.create", { name: "x", slug: "x" }), 403, "forbidden");
    const taken = await mutate("projects.create", { name: "x", key: project.key });
    expectTrpcError(taken, 409, "conflict");
  });

  test("names the fields of a wrong input", async () => {
    const answer = await mutate("tickets.create", { id: project.id, title: "x", nope: 1 });
    expectTrpcError(answer, 400, "invalid_request");
    const { fieldErrors } = answer.body.error.json.data.body;
    expect(Object.keys(fieldErrors).sort()).toEqual([
      "blocking",
      "description",
      "nope",
      "priority",
      "request_type",
      "title",
    ]);
    const noProject = await mutate("tickets.create", ticketInput());
    expectTrpcError(noProject, 400, "invalid_request");
    expect(Object.keys(noProject.body.error.json.data.body.fieldErrors)).toEqual(["id"]);
  });

  test.each([
    ["broken JSON", '{"json": {', "invalid_json"],
    ["nothing", "", "invalid_request"],
    ["not superjson", '"text"', "invalid_request"],
    ["null", "null", "invalid_request"],
    ["a list", "[]", "invalid_request"],
    ["no json in it", "{}", "invalid_request"],
    [
      "notes that fit nothing",
      '{"json": {"id": 1}, "meta": {"values": {"a.b.c": ["Date"]}}}',
      "invalid_request",
    ],
    ["notes of no kind", '{"json": {"id": 1}, "meta": {"values": 7}}', "invalid_request"],
    [
      "unknown kinds",
      '{"json": {"id": 1}, "meta": {"values": {"id": ["class", "Deno"]}}}',
      "invalid_request",
    ],
    [
      "a way to the prototype",
      '{"json": {"id": 1}, "meta": {"values": {"__proto__.x": ["Date"]}}}',
      "invalid_request",
    ],
    ["deep lists", `{"json": ${"[".repeat(100_000)}${"]".repeat(100_000)}}`, "invalid_request"],
  ])("is a 400 for %s", async (_, text, code) => {
    const before = await ticketsOf(harness.now, project);
    const { status, body } = await send("POST", "tickets.create", raw(text));
    expect({ status, code: body.error.json.data.body.code }).toEqual({ status: 400, code });
    expect(await ticketsOf(harness.now, project)).toBe(before);
  });

  test.each([
    ["no JSON", "%7B"],
    ["no superjson", "5"],
    ["bytes that are no text", "%ff"],
  ])("is a 400 for a query's input that is %s", async (_, input) => {
    const { status, body } = await send("GET", `tickets.list?input=${input}`, { token: project.admin.token });
    expect(status).toBe(400);
    expect(["invalid_json", "invalid_request"]).toContain(body.error.json.data.body.code);
    expect(body.error.json.message).not.toContain("body");
  });

  test.each([
    ["a big integer", 10n],
    ["a map", new Map([["a", 1]])],
    ["a date", new Date()],
    ["a pattern", /(a+)+$/],
    ["an error", new Error("x")],
    ["not a number", NaN],
    ["infinity", -Infinity],
    ["a set", new Set([1])],
  ])("is a 400 for evidence that JSON cannot hold: %s", async (_, value) => {
    const answer = await mutate("tickets.create", {
      id: project.id,
      ...ticketInput({ evidence: { value } }),
    });
    expectTrpcError(answer, 400, "invalid_request");
    expect(Object.keys(answer.body.error.json.data.body.fieldErrors)).toEqual(["evidence.value"]);
  });

  test.each([
    ["a typed array", { length: 1e12 }, ["typed-array", "Float64Array"]],
    ["a class", { length: 1e12 }, ["class", "Array"]],
    ["undefined", "text", ["undefined"]],
  ])("is a 400 for what says that it is %s", async (_, email, annotation) => {
    const input = { json: { email, password: "x" }, meta: { values: { email: annotation } } };
    const answer = await send("POST", "auth.login", { body: input });
    expectTrpcError(answer, 400, "invalid_request");
    expect(Object.keys(answer.body.error.json.data.body.fieldErrors)).toEqual(["email"]);
  });

  test("is a 400 for an item that would stand far behind its list", async () => {
    const json = { id: project.id, action: "close", ticket_ids: [] };
    const meta = { values: { "ticket_ids.4000000000": ["undefined"] }, v: 1 };
    const answer = await send("POST", "tickets.bulk", { token: project.admin.token, body: { json, meta } });
    expectTrpcError(answer, 400, "invalid_request");
  });

  test("of a stranger doesn't look at the input", async () => {
    const input = { json: {}, meta: { values: { a: ["Date"] } } };
    expectTrpcError(await send("POST", "tickets.create", { body: input }), 401, "unauthenticated");
    const query = encodeURIComponent(JSON.stringify(input));
    expectTrpcError(await send("GET", `projects.list?input=${query}`), 401, "unauthenticated");
  });

  test.each(["trpc-accept", "accept"])("is a 400 for streams, which %s asks for", async (name) => {
    const answer = await send("GET", "auth.me?batch=1&input=%7B%7D", {
      token: project.admin.token,
      headers: { [name]: "application/jsonl" },
    });
    expectTrpcError(answer, 400, "invalid_request");
  });

  test("of a made-up method makes no series of measurements", async () => {
    expectTrpcError(await send("MADEUP", "auth.me"), 405, "method_not_allowed");
    expect(await (await harness.now.request("GET", "/metrics")).text()).not.toContain("MADEUP");
  });

  test("names the first hundred of what is wrong", async () => {
    const unknown = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`field${at}`, at]));
    const { body } = await mutate("auth.login", { email: "a@b.test", password: "x", ...unknown });
    expect(body.error.json.data.body.issues).toHaveLength(100);
    expect(Object.keys(body.error.json.data.body.fieldErrors)).toHaveLength(100);
  });

  test("comes soon for a small input that says it is an endless one", async () => {
    let evidence: unknown = {};
    const equalities: Record<string, string[]> = {};
    for (let level = 0; level < 90; level++) {
      evidence = { x: evidence, y: null };
      const path = ["evidence", ...Array(89 - level).fill("x")].join(".");
      equalities[`${path}.x`] = [`${path}.y`];
    }
    const json = { id: project.id, ...ticketInput(), evidence };
    // Fully written out, the value has 2^90 leaves. Only the size of the JSON itself counts.
    const { status } = await send("POST", "tickets.create", {
      token: project.admin.token,
      body: { json, meta: { referentialEqualities: equalities } },
    });
    expect(status).toBe(200);
  });

  test("is told for unknown procedures, wrong methods, wrong types and too much", async () => {
    expectTrpcError(await send("GET", "nothing.here"), 404, "not_found");
    expectTrpcError(
      await send("GET", "tickets.create", { token: project.admin.token }),
      405,
      "method_not_allowed",
    );
    const text = { token: project.admin.token, raw: "{}", headers: { "content-type": "text/plain" } };
    const wrongType = await send("POST", "tickets.create", text);
    expectTrpcError(wrongType, 415, "unsupported_media_type");
    expectTrpcError(await send("PUT", "auth.me"), 405, "method_not_allowed");
    const over = await send("POST", "tickets.create", raw(JSON.stringify({ pad: "x".repeat(1024 * 1024) })));
    expectTrpcError(over, 413, "payload_too_large");
    const { body, ...list } = await send("POST", "tickets.create,tickets.create?batch=1", raw("[]"));
    expectTrpcError({ ...list, body: body[0] }, 400, "invalid_request");
    const prototype = await send("GET", "__proto__.constructor");
    expect(prototype.status).toBe(404);
  });

  test("names its request also where tRPC would fail before it has one", async () => {
    const { token } = project.admin;
    expectTrpcError(await send("GET", "%E0%A4%A"), 404, "not_found");
    expectTrpcError(await send("OPTIONS", "auth.me"), 405, "method_not_allowed");
    expectTrpcError(await send("GET", "auth.me?connectionParams=1", { token }), 400, "invalid_request");
    const mixed = await send("POST", "auth.me,tickets.create?batch=1", { token, body: {} });
    expectTrpcError(mixed, 400, "invalid_request");
    expect(mixed.headers.get("content-type")).toBe("application/json");
    for (const type of ["Multipart/Form-Data; boundary=x", "application/octet-stream"]) {
      const headers = { "content-type": type };
      expectTrpcError(await send("GET", "auth.me", { token, headers }), 415, "unsupported_media_type");
    }
  });

  test("of a strange type comes as fast however many blanks are in it", async () => {
    const ask = (blanks: number) => () =>
      send("GET", "auth.me", { headers: { "content-type": `a${" ".repeat(blanks)}b` } });
    const alike = ([few, many]: number[]) => many! < 50 * few!;
    expect(await bestTimes([ask(1), ask(50_000)], alike)).toSatisfy(alike);
  });
});
