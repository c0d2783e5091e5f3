import { Validator } from "@seriousme/openapi-schema-validator";
import { beforeAll, describe, expect, test } from "vitest";
import { ERRORS } from "../../src/core/errors.ts";
import { ClosingGates } from "../../src/tickets/schema.ts";
import { publishedProcedures } from "../../src/http/procedures.ts";
import { makeProject, makeTicket, ticketInput } from "../factories.ts";
import { useHarness } from "../harness.ts";
import { Document } from "./document.ts";

const harness = useHarness();
let document: Document;
beforeAll(async () => {
  document = await Document.of(harness.now);
});

/** Every endpoint of the interface's specification. */
const SPECIFIED = [
  "post /projects/{id}/tickets",
  "post /projects/{id}/tickets/bulk",
  "post /projects/{id}/tickets/{ticketId}/tasks/reorder",
  "get /projects/{id}/tickets/{ticketId}/tasks",
  "get /projects/{id}/tickets/{ticketId}/test-cases",
  "get /projects/{id}/tickets/{ticketId}/github-issue",
  "get /projects/{id}/ai-suggestions",
  "post /auth/refresh",
  "post /keys",
  "post /integrations/webhooks",
  "put /settings/roles",
  "get /admin/scope-surveys",
  "post /webhooks/cloud-agent",
  "post /webhooks/payment-provider",
  "post /webhooks/pipeline/deploy",
];

describe("the document", () => {
  test("is valid OpenAPI 3.1, and every reference in it leads somewhere", async () => {
    const validator = new Validator();
    const result = await validator.validate(
      structuredClone(document.json) as unknown as Record<string, unknown>,
    );
    expect(result.errors).toBeUndefined();
    expect(result.valid).toBe(true);
    expect(validator.version).toBe("3.1");
    const text = JSON.stringify(document.json);
    for (const [, name] of text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)) {
      expect(document.json.components.schemas).toHaveProperty(name!);
    }
  });

  test.each(SPECIFIED)("has %s", (endpoint) => {
    const [method, path] = endpoint.split(" ") as [string, string];
    expect(Object.keys(document.json.paths[path] ?? {})).toContain(method);
  });

  test("has every procedure once, under its name", () => {
    const ids = document.operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(expect.arrayContaining(publishedProcedures().map(({ name }) => name)));
  });

  test("gives generated clients types that they can tell apart", () => {
    const schemas = [...objectsIn(document.json)];
    const alone = schemas.filter(({ type }) => type === "null");
    const orNull = schemas.flatMap(({ anyOf }) => Array.isArray(anyOf) ? anyOf as unknown[] : []);
    expect(alone.filter((schema) => !orNull.includes(schema))).toEqual([]);
    const choices = schemas.filter(({ oneOf }) => oneOf);
    expect(choices.length).toBeGreaterThan(0);
    for (const { oneOf, discriminator } of choices) {
      const { mapping } = discriminator as { mapping: Record<string, string> };
      expect(Object.values(mapping)).toEqual((oneOf as { $ref: string }[]).map(({ $ref }) => $ref));
    }
  });

  test("names no security scheme like a schema: a client has both as types", () => {
    const { schemas, securitySchemes } = document.json.components;
    const names = [...Object.keys(schemas), ...Object.keys(securitySchemes)].map((name) =>
      name.toLowerCase()
    );
    expect(new Set(names).size).toBe(names.length);
  });

  test("says of an Idempotency-Key how long it may be, and of a key what may be its end", () => {
    const { parameters } = document.json.paths["/projects/{id}/tickets"]!["post"]!;
    expect(parameters!.find(({ name }) => name === "Idempotency-Key")!.schema)
      .toMatchObject({ minLength: 1, maxLength: 128 });
    const key = document.json.paths["/keys"]!["post"]!.requestBody!.content["application/json"]!.schema;
    const { expires_at } = (key as { properties: Record<string, { description?: string }> }).properties;
    expect(expires_at!.description).toContain("In the future");
  });

  test("says of which numbers 32 bits may be too few", () => {
    const properties = (name: string) =>
      (document.json.components.schemas[name] as { properties: Record<string, { format?: string }> })
        .properties;
    const bodyOf = (path: string) =>
      (document.json.paths[path]!["post"]!.requestBody!.content["application/json"]!.schema as {
        properties: Record<string, { format?: string }>;
      }).properties;
    const large = [
      properties("Storage")["bytes"],
      properties("AuditEntry")["id"],
      properties("HistoryEntry")["id"],
      properties("HookResult")["hook_id"],
      properties("WebhookDelivery")["seq"],
      bodyOf("/projects/{id}/webhooks/{webhookId}/replay")["since_seq"],
    ];
    expect(large.map((schema) => schema?.format)).toEqual(large.map(() => "int64"));
  });

  test("says which tickets the hint names, and how many", () => {
    const { CreatedTicket } = document.json.components.schemas as {
      CreatedTicket: { properties: { similar_existing: { description: string } } };
    };
    expect(CreatedTicket.properties.similar_existing.description).toMatch(/at least 0\.65, .*at most 10\./);
  });

  test("says what a text and the evidence may not hold, and what a length counts", () => {
    expect(document.json.info.description).toMatch(/code points.* NUL .*lone surrogates/s);
    const { properties } = document.json.paths["/projects/{id}/tickets"]!["post"]!
      .requestBody!.content["application/json"]!.schema as {
        properties: { evidence: { description: string } };
      };
    expect(properties.evidence.description).toMatch(/NUL.*lone surrogates.*100 levels/);
  });

  test("names the path of each thing that is made", () => {
    const made = document.operations.filter(({ operation }) => operation.responses["201"]);
    expect(made.length).toBeGreaterThan(10);
    for (const { operation } of made) expect(operation.responses["201"]?.headers).toHaveProperty("Location");
  });

  test("is served as JSON at the address that it names", async () => {
    const response = await harness.now.request("GET", "/api/openapi.json");
    expect(response.headers.get("content-type")).toContain("application/json");
    expect((await response.json()).servers).toEqual([{ url: "http://handoff.test/api" }]);
  });
});

describe("every operation", () => {
  test("says what it is, who may call it, and what its path holds", () => {
    for (const { path, method, operation } of document.operations) {
      const at = `${method} ${path}`;
      expect(operation.summary, at).toMatch(/\S/);
      expect(operation.tags, at).toHaveLength(1);
      expect(operation.description, at).toMatch(/\S/);
      const inPath = (operation.parameters ?? []).filter((parameter) => parameter.in === "path");
      expect(inPath.map(({ name }) => `{${name}}`), at).toEqual(path.match(/\{\w+\}/g) ?? []);
      for (const { required, schema } of inPath) {
        expect([required, typeof schema], at).toEqual([true, "object"]);
      }
      const schemes = Object.keys(document.json.components.securitySchemes);
      for (const name of (operation.security ?? []).flatMap(Object.keys)) expect(schemes, at).toContain(name);
    }
  });

  test("of a procedure needs a credential exactly when the procedure does", () => {
    for (const { meta } of publishedProcedures()) {
      const { security = [] } = document.json.paths[meta.path]![meta.method.toLowerCase()]!;
      const needed = security.length > 0 && security.every((kinds) => Object.keys(kinds).length > 0);
      expect(needed, meta.path).toBe(meta.access !== "public");
    }
  });

  test("that heeds a credential without need says so: generated clients send none elsewhere", () => {
    const { security } = document.json.paths["/surveys/{code}/responses"]!["post"]!;
    expect(security).toEqual([{ bearer: [] }, { cookie: [] }, {}]);
  });

  test("that writes a text says how long it may be, also where the text may be null", () => {
    const procedures = document.operations.filter(({ path }) => !path.startsWith("/webhooks/"));
    const withoutLimit = procedures.flatMap(({ path, method, operation }) => {
      const { properties = {} } = (operation.requestBody?.content["application/json"]?.schema ?? {}) as {
        properties?: Record<string, Record<string, unknown>>;
      };
      const bounds = ["maxLength", "format", "enum", "pattern"];
      return Object.entries(properties)
        .filter(([, schema]) =>
          [schema.type].flat().includes("string") && !bounds.some((bound) => bound in schema)
        )
        .map(([field]) => `${method} ${path} ${field}`);
    });
    expect(withoutLimit).toEqual([]);
  });

  test("gives each parameter one type, and a field that may be null two", () => {
    const parameters = document.operations.flatMap(({ operation }) => operation.parameters ?? []);
    expect(parameters.filter(({ schema }) => "anyOf" in (schema as Record<string, unknown>))).toEqual([]);
    const query = document.operations.flatMap(({ path, operation }) =>
      (operation.parameters ?? []).filter((parameter) => parameter.in === "query")
        .map(({ name, schema }) => ({ at: `${path} ${name}`, schema: schema as Record<string, unknown> }))
    );
    const list = Object.fromEntries(query.map(({ at, schema }) => [at, schema]));
    expect(list["/projects/{id}/tickets limit"]).toEqual({
      type: "integer",
      minimum: 1,
      maximum: 200,
      default: 50,
    });
    expect(list["/projects/{id}/tickets blocking"]).toEqual({ type: "boolean" });
    const { evidence } = (document.json.paths["/projects/{id}/tickets/{ticketId}"]!["patch"]!.requestBody!
      .content["application/json"]!.schema as { properties: Record<string, unknown> }).properties;
    expect(evidence).toMatchObject({ type: ["object", "null"], additionalProperties: true });
  });

  test("that refuses what a list names twice says so", () => {
    const [at, path] = ["application/json", "/projects/{id}/tickets/{ticketId}/tasks"];
    const listed = (path: string, method: string, field: string) =>
      (document.json.paths[path]![method]!.requestBody!.content[at]!.schema as {
        properties: Record<string, { uniqueItems?: boolean }>;
      }).properties[field]!.uniqueItems;
    expect(listed("/projects/{id}/tickets", "post", "roles")).toBe(true);
    expect(listed("/projects/{id}/tickets/{ticketId}", "patch", "roles")).toBe(true);
    expect(listed(path, "post", "depends_on_task_ids")).toBe(true);
    expect(listed(`${path}/{taskId}`, "patch", "depends_on_task_ids")).toBe(true);
    expect(listed(`${path}/reorder`, "post", "task_ids")).toBe(true);
    expect(listed("/projects", "post", "repositories")).toBe(true);
    expect(listed("/projects/{id}/repositories", "put", "repositories")).toBe(true);
    expect(listed("/projects/{id}/tickets/{ticketId}/agent-runs", "post", "task_ids")).toBe(true);
    const choice = { type: "choice", key: "most_missed", text: "What do you miss?", options: ["It", "It"] };
    expect(document.faults(["components", "schemas", "SurveyQuestion"], choice)).not.toEqual([]);
    expect(listed("/projects/{id}/tickets/bulk", "post", "ticket_ids")).toBeUndefined();
  });

  test("speaks of a task's version where it takes one, not of the ticket's", () => {
    const { patch } = document.json.paths["/projects/{id}/tickets/{ticketId}/tasks/{taskId}"]!;
    const told = [
      (patch!.parameters ?? []).filter((parameter) => parameter.in === "header"),
      (patch!.responses["200"] as { headers: unknown }).headers,
      patch!.responses["412"]!.description,
    ];
    expect(JSON.stringify(told)).not.toContain("ticket");
  });

  test("documents one success at least, and its failures with an example of each code", () => {
    for (const { path, method, operation } of document.operations) {
      const at = `${method} ${path}`;
      const statuses = Object.keys(operation.responses);
      expect(statuses.some((status) => status.startsWith("2")), at).toBe(true);
      const failures = statuses.filter((status) => Number(status) >= 400);
      expect(failures, at).toEqual(expect.arrayContaining(["400", "500", "503"]));
      for (const status of failures) {
        const { examples = {} } = operation.responses[status]!.content!["application/json"]!;
        expect(Object.keys(examples).length, `${at} ${status}`).toBeGreaterThan(0);
        for (const { value } of Object.values(examples)) {
          const { code } = value as { code: string };
          const known = Object.entries(ERRORS).some(([name, entry]) =>
            String(entry.status) === status && ("code" in entry ? entry.code : name) === code
          );
          expect(known, `${at} ${status} ${code}`).toBe(true);
        }
      }
    }
  });

  test("documents what stands in the details of each failure", async () => {
    const names = new Set<string>(Object.keys(ClosingGates.shape));
    for await (const text of sources(new URL("../../src/", import.meta.url))) {
      for (const [call] of text.matchAll(/new AppError\([^;]*?details: \{ \w+/g)) {
        names.add(call.split(" ").at(-1)!);
      }
    }
    const { details } = (document.json.components.schemas["Error"] as {
      properties: { details: { description: string } };
    }).properties;
    const told = [...details.description.matchAll(/`(\w+)`/g)].map((match) => match[1]);
    expect(told.sort()).toEqual([...names].sort());
  });

  test("documents what may become of its body", () => {
    for (const { path, method, operation } of document.operations) {
      if (!operation.requestBody) continue;
      expect(Object.keys(operation.responses), `${method} ${path}`).toEqual(
        expect.arrayContaining(["400", "408", "413", "415"]),
      );
    }
  });

  test("says how long its body may be", () => {
    const told = document.operations.filter(({ operation }) => operation.requestBody)
      .map(({ path, operation }) => [path, operation.requestBody!.description] as const);
    const usual = told.filter(([, limit]) => limit === "At most 256 KiB");
    expect(usual.map(([path]) => path)).toContain("/projects/{id}/tickets");
    expect(Object.fromEntries(told.filter((one) => !usual.includes(one)))).toEqual({
      "/projects/{id}/import": "At most 16384 KiB",
      "/projects/{id}/tickets/{ticketId}": "At most 1024 KiB",
      "/projects/{id}/tickets/{ticketId}/comments/{commentId}": "At most 1024 KiB",
      "/webhooks/cloud-agent": "At most 1024 KiB",
      "/webhooks/github": "At most 1024 KiB",
      "/webhooks/payment-provider": "At most 1024 KiB",
      "/webhooks/pipeline/deploy": "At most 16 KiB",
    });
  });

  test("documents what its credential may be refused with", () => {
    for (const { meta } of publishedProcedures()) {
      const { responses } = document.json.paths[meta.path]![meta.method.toLowerCase()]!;
      const statuses = Object.keys(responses);
      // Calls by key are limited, and so are attempts to guess keys.
      if (meta.access !== "public") {
        expect(statuses, meta.path).toEqual(expect.arrayContaining(["401", "429"]));
      }
      if (["POST", "PUT", "PATCH"].includes(meta.method)) {
        expect(statuses, meta.path).toEqual(expect.arrayContaining(["413", "415"]));
      }
      if (!["public", "user"].includes(meta.access)) {
        expect(statuses.includes("403") || statuses.includes("404"), meta.path).toBe(true);
      }
    }
  });

  test("has an example of each body, except of an import's: its records are an export's", () => {
    const without = document.operations.filter(({ operation }) => operation.requestBody)
      .filter(({ operation }) => operation.requestBody!.content["application/json"]!.example === undefined);
    expect(without.map(({ method, path }) => `${method} ${path}`)).toEqual(["post /projects/{id}/import"]);
  });

  test("has examples that its own schemas accept", () => {
    let checked = 0;
    for (const { path, method, operation } of document.operations) {
      const bodies: [string[], NonNullable<typeof operation.requestBody>["content"]][] = [
        [["requestBody"], operation.requestBody?.content ?? {}],
        ...Object.entries(operation.responses).map(([status, { content = {} }]) =>
          [["responses", status], content] as [string[], typeof content]
        ),
      ];
      for (const [steps, content] of bodies) {
        for (const [type, { example, examples = {} }] of Object.entries(content)) {
          const values = [
            ...(example === undefined ? [] : [example]),
            ...Object.values(examples).map(({ value }) => value),
          ];
          for (const value of values) {
            const faults = document.faults(
              ["paths", path, method, ...steps, "content", type, "schema"],
              value,
            );
            expect({ at: `${method} ${path} ${steps}`, faults }).toEqual({
              at: `${method} ${path} ${steps}`,
              faults: [],
            });
            checked++;
          }
        }
      }
    }
    expect(checked).toBeGreaterThan(100);
  });
});

/** Every object in a value, itself included. */
function* objectsIn(value: unknown): Generator<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) yield value as Record<string, unknown>;
  for (const part of Object.values(value)) yield* objectsIn(part);
}

async function* sources(folder: URL): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory) yield* sources(new URL(`${name}/`, folder));
    else if (name.endsWith(".ts")) yield await Deno.readTextFile(new URL(name, folder));
  }
}

describe("a body that the service refuses by itself is refused by the document, too", () => {
  const TICKET = "/projects/{id}/tickets/{ticketId}";
  const REFUSED: [method: "post" | "patch" | "put", path: string, body: object, fine: object][] = [
    ["post", "/projects/{id}/tickets", { title: "With a NUL \0" }, {
      description: "Without one\nin two lines",
    }],
    ["post", "/projects/{id}/tickets", { title: " \t\u00a0  " }, { title: " Fails\u200b " }],
    ["patch", TICKET, { title: "In two\nlines" }, { description: "In two\nlines, and more" }],
    ["post", "/projects/{id}/tickets/bulk", { action: "move" }, { action: "move", stage: "backlog" }],
    ["post", "/projects/{id}/tickets/bulk", { action: "close", stage: "backlog" }, {
      action: "close",
      stage: "live",
    }],
    ["post", "/projects/{id}/tickets/bulk", { action: "change", set: {} }, {
      action: "change",
      set: { due_on: "2026-12-24" },
    }],
    ["post", "/projects/{id}/tickets/bulk", { action: "change", query: "upload", set: { blocking: true } }, {
      action: "change",
      set: { blocking: true },
    }],
    ["post", "/projects/{id}/tickets/bulk", { action: "close", set: { blocking: true } }, {
      action: "close",
    }],
    ["patch", TICKET, { status: "closed", stage: "backlog" }, { status: "closed", stage: "live" }],
    ["patch", TICKET, { status: "open", stage: "live" }, { status: "open", stage: "backlog" }],
    ["put", `${TICKET}/github-issue`, { repo_full_name: "acme/handoff" }, { issue_number: 12 }],
    ["put", `${TICKET}/github-issue`, { issue_url: "https://github.com/acme/handoff/pull/1" }, {
      issue_url: "https://github.com/acme/handoff/issues/1",
    }],
    ["patch", `${TICKET}/tasks/{taskId}`, { status: "skipped", blocking_reason: "Why" }, {
      status: "blocked",
      blocking_reason: "Why",
    }],
    ["put", "/projects/{id}/repositories", { repositories: ["acme/.."] }, { repositories: ["acme/..."] }],
    ["post", "/users", { name: "Eve", email: "eve" }, { name: "Eve", email: "eve@example.test" }],
    ["post", "/inbox/read", {}, { up_to: "2026-01-01T00:00:00Z" }],
    ["post", "/inbox/archive", { up_to: "2026-01-01T00:00:00Z", ticket_ids: ["HO-1"] }, {
      ticket_ids: ["HO-1"],
    }],
    ["post", `${TICKET}/questions`, { prompt: "Why?", addressee: {} }, {
      prompt: "Why?",
      addressee: { role: "admin" },
    }],
    ["post", "/projects/{id}/webhooks", { url: "example.com" }, { url: "https://example.com/hook" }],
    ["put", "/projects/{id}/repositories", { repositories: ["a/b", "a/b"] }, {
      repositories: ["a/b", "a/c"],
    }],
  ];

  test.each(REFUSED)("%s %s %j", async (method, path, refused, fine) => {
    const { now } = harness;
    const project = await makeProject(now, { repositories: ["acme/handoff"] });
    const { token } = project.admin;
    const ticket = await makeTicket(now, project);
    const task = await now.call("POST", `${ticket.path}/tasks`, {
      token,
      body: { title: "Look", role: "qa" },
    });
    const named: Record<string, string> = { id: project.id, ticketId: ticket.id, taskId: task.body.id };
    const base = path.endsWith("/tickets")
      ? ticketInput()
      : path.endsWith("/bulk")
      ? { ticket_ids: [ticket.id] }
      : {};
    const schema = ["paths", path, method, "requestBody", "content", "application/json", "schema"];
    for (const [part, isRefused] of [[refused, true], [fine, false]] as const) {
      const body = { ...base, ...part };
      const { status } = await now.call(
        method.toUpperCase(),
        path.replace(/\{(\w+)\}/g, (_, field) => named[field]!),
        {
          token,
          body,
        },
      );
      expect([status === 400, document.faults(schema, body).length > 0], JSON.stringify(part))
        .toEqual([isRefused, isRefused]);
    }
  });

  test("an If-Match, of which both read the same", async () => {
    const project = await makeProject(harness.now);
    const { path } = await makeTicket(harness.now, project);
    const { parameters } = document.json.paths[TICKET]!["patch"]!;
    const at = parameters!.findIndex(({ name }) => name === "If-Match");
    const schema = ["paths", TICKET, "patch", "parameters", String(at), "schema"];
    for (
      const [value, isRefused] of [['"1"', false], ['W/"1", "2"', false], ["*", false], ["1", true], [
        '"1',
        true,
      ]] as const
    ) {
      const { status } = await harness.now.call("PATCH", path, {
        token: project.admin.token,
        body: {},
        headers: { "If-Match": value },
      });
      expect([status === 400, document.faults(schema, value).length > 0], value).toEqual([
        isRefused,
        isRefused,
      ]);
    }
  });

  test("an absent body of a PATCH", () => {
    const patches = document.operations.filter(({ method }) => method === "patch");
    expect(patches.length).toBeGreaterThan(5);
    for (const { path, operation } of patches) expect(operation.requestBody!.required, path).toBe(true);
  });
});
