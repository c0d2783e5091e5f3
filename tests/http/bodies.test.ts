import { describe, expect, test } from "vitest";
import { v7 as uuid } from "uuid";
import { hasBody, type PublishedProcedure, publishedProcedures } from "../../src/http/procedures.ts";
import { makeUser, ticketInput, useProject } from "../factories.ts";
import { type CallOptions, useHarness } from "../harness.ts";
import { expectError, post, ticketsOf } from "./_calls.ts";

const harness = useHarness();
const project = useProject(harness);

const JSON_TYPE = { "content-type": "application/json" };
const LIMIT = 256 * 1024;

/** A body with exactly this number of bytes. */
function bodyOf(bytes: number): string {
  const empty = JSON.stringify(ticketInput({ evidence: { pad: "" } }));
  return empty.replace('"pad":""', `"pad":"${"x".repeat(bytes - empty.length)}"`);
}

describe("a body", () => {
  test.each([
    ["cut off", '{"title": "x', ": line 1, column 13"],
    ["with a trailing comma", '{"title": "x",}', ": line 1, column 15"],
    ["with single quotes", "{'title': 'x'}", ": line 1, column 2"],
    ["with a comment", "{} // all", ": line 1, column 4"],
    ["with two values", "{}{}", ": line 1, column 3"],
    ["NaN", '{\n  "title": NaN\n}', ": line 2, column 12"],
    ["undefined", "undefined", ": line 1, column 1"],
    ["blank", "   ", ": it ends too early"],
    ["a lone NUL", "\0", ": line 1, column 1"],
    ["XML", "<ticket/>", ": line 1, column 1"],
    ["with a raw line end in a text", '{"title": "a\nb"}', ": line 1, column 13"],
    ["NaN behind more than is looked through", `{"a": "${"x".repeat(20_000)}", "b": NaN}`, ""],
  ])("that is broken (%s) is 400 invalid_json, which says where and nothing of it", async (_, raw, place) => {
    const before = await ticketsOf(harness.now, project);
    const answer = await post(harness.now, project, { raw, headers: JSON_TYPE });
    expectError(answer, 400, "invalid_json");
    expect(answer.body.error).toBe(`The body is not valid JSON${place}`);
    expect(await ticketsOf(harness.now, project)).toBe(before);
  });

  test("without a field that has a list of values says that it is required", async () => {
    const { request_type: _, ...rest } = ticketInput();
    const answer = await post(harness.now, project, { body: rest });
    expectError(answer, 400, "invalid_request");
    expect(answer.body.fieldErrors).toEqual({ request_type: "Required" });
  });

  test.each([
    ["text/plain"],
    ["application/x-www-form-urlencoded"],
    ["multipart/form-data; boundary=x"],
    ["application/jsonp"],
    ["text/json"],
    ["json"],
    ["*/*"],
    [""],
  ])("of type %j is 415", async (type) => {
    const raw = JSON.stringify(ticketInput());
    const answer = await post(harness.now, project, { raw, headers: { "content-type": type } });
    expectError(answer, 415, "unsupported_media_type");
  });

  test("without any type is 415", async () => {
    const raw = new TextEncoder().encode(JSON.stringify(ticketInput()));
    expectError(await post(harness.now, project, { raw }), 415, "unsupported_media_type");
  });

  test.each([
    ["application/json"],
    ["application/json; charset=utf-8"],
    ["Application/JSON;charset=UTF-8"],
    ["application/merge-patch+json"],
  ])("of type %s is taken", async (type) => {
    const raw = JSON.stringify(ticketInput());
    expect((await post(harness.now, project, { raw, headers: { "content-type": type } })).status).toBe(201);
  });

  test("that is compressed is 415 over REST and tRPC", async () => {
    const headers = { ...JSON_TYPE, "content-encoding": "gzip" };
    const raw = JSON.stringify(ticketInput());
    expectError(await post(harness.now, project, { raw, headers }), 415, "unsupported_media_type");
    const { token } = project.admin;
    const call = await harness.now.request("POST", "/trpc/tickets.create", { token, raw, headers });
    expect(call.status).toBe(415);
  });

  test("of 256 KiB is taken and of one byte more is 413, with and without Content-Length", async () => {
    const before = await ticketsOf(harness.now, project);
    const chunked = (text: string) =>
      new ReadableStream<Uint8Array<ArrayBuffer>>({
        start(controller) {
          const bytes = new TextEncoder().encode(text);
          for (let at = 0; at < bytes.length; at += 10_000) controller.enqueue(bytes.slice(at, at + 10_000));
          controller.close();
        },
      });
    const announced = (length: number) => ({
      raw: bodyOf(length),
      headers: { ...JSON_TYPE, "content-length": String(length) },
    });
    const unannounced = (length: number) => ({ raw: chunked(bodyOf(length)), headers: JSON_TYPE });
    for (const send of [announced, unannounced]) {
      expect((await post(harness.now, project, send(LIMIT))).status).toBe(201);
      expectError(await post(harness.now, project, send(LIMIT + 1)), 413, "payload_too_large");
    }
    const lying = { ...JSON_TYPE, "content-length": String(LIMIT + 1) };
    expectError(await post(harness.now, project, { raw: "{}", headers: lying }), 413, "payload_too_large");
    expect(await ticketsOf(harness.now, project)).toBe(before + 2);
  });

  test("that breaks off is 408, and no fault of the service", async () => {
    const raw = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('{"title": "'));
        controller.error(new Error("connection reset"));
      },
    });
    expectError(await post(harness.now, project, { raw, headers: JSON_TYPE }), 408, "request_timeout");
  });

  test("of a stranger is not read: any body gets 401", async () => {
    for (const raw of ["{ broken", "", JSON.stringify(ticketInput())]) {
      const answer = await harness.now.call("POST", `${project.path}/tickets`, { raw, headers: JSON_TYPE });
      expectError(answer, 401, "unauthenticated");
    }
  });
});

describe("null in the place of a body", () => {
  const procedures = publishedProcedures().filter(({ meta }) => hasBody(meta.method));
  /** The answer to a super admin's call about a thing that doesn't exist. */
  async function send({ meta }: PublishedProcedure, options: CallOptions) {
    const { token } = await makeUser(harness.now, { role: "super_admin" });
    const path = meta.path.replace("/projects/{id}", `/projects/${project.id}`).replace("{role}", "qa")
      .replace(/\{\w+\}/g, () => uuid());
    const credential = meta.cookieOnly
      ? { cookie: `session=${token}` }
      : { authorization: `Bearer ${token}` };
    return await harness.now.call(meta.method, path, {
      ...options,
      headers: { ...JSON_TYPE, ...credential },
    });
  }
  const isNoObject = (body: { error?: string } | undefined) =>
    body?.error === "Invalid request: The body must be a JSON object";

  /** These calls need no field, and without one they have a large effect. */
  const REFUSED = ["keys.create", "integrations.setUpHooks"];
  const needed = procedures.filter(({ name, meta, rest }) =>
    REFUSED.includes(name) || meta.method !== "POST" || !rest.safeParse({}).success
  );
  test.each(needed.map((procedure) => [procedure.name, procedure] as const))(
    "%s refuses it, and changes nothing",
    async (_, procedure) => {
      const answer = await send(procedure, { raw: "null" });
      expectError(answer, 400, "invalid_request");
      expect(isNoObject(answer.body)).toBe(true);
    },
  );

  test.each(
    procedures.filter((one) => !needed.includes(one)).map((procedure) =>
      [procedure.name, procedure] as const
    ),
  )(
    "%s takes it for one that was left out, as clients generated for Go, Rust and Java say it",
    async (_, procedure) => {
      const { status, body } = await send(procedure, { raw: "null\n" });
      expect([status, isNoObject(body)]).toEqual([(await send(procedure, {})).status, false]);
    },
  );

  test.each(
    procedures.filter(({ meta }) => meta.method === "PATCH").map((procedure) =>
      [procedure.name, procedure] as const
    ),
  )("%s refuses an absent body, which would change nothing", async (_, procedure) => {
    const answer = await send(procedure, {});
    expectError(answer, 400, "invalid_request");
    expect(isNoObject(answer.body)).toBe(true);
  });
});
