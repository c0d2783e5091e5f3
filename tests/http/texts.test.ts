import { describe, expect, test } from "vitest";
import { makeTicket, ticketInput, useProject } from "../factories.ts";
import { useHarness } from "../harness.ts";
import { expectError, expectFields, post, stored, ticketsOf } from "./_calls.ts";
import { expectTrpcError } from "./_trpc.ts";

const harness = useHarness();
const project = useProject(harness);

/** Field, shortest, longest. */
const LIMITS: [string, number, number][] = [
  ["title", 5, 140],
  ["description", 10, 5000],
  ["suggested_resolution", 0, 2000],
  ["implementation_notes", 0, 5000],
  ["actor_role", 1, 40],
  ["actor_id", 1, 128],
  ["source", 1, 40],
  ["idempotency_key", 1, 128],
];

/** A change takes longer texts than a creation, because other trackers hold such texts. */
const LONGEST_OF_CHANGE: Record<string, number> = { title: 256, description: 65_536 };

describe("every text of a ticket has its limits", () => {
  test.each(LIMITS)("%s takes %i to %i characters and not one less or more", async (field, min, max) => {
    for (const length of [min, max]) {
      const text = "x".repeat(length);
      const ticket = await stored(harness.now, project, { [field]: text });
      if (field !== "idempotency_key") expect(ticket[field]).toBe(text);
    }
    const before = await ticketsOf(harness.now, project);
    for (const length of [min - 1, max + 1]) {
      if (length < 0) continue;
      expectFields(await post(harness.now, project, { body: ticketInput({ [field]: "x".repeat(length) }) }), [
        field,
      ]);
    }
    expect(await ticketsOf(harness.now, project)).toBe(before);
  });

  test.each(LIMITS.filter(([field]) => field !== "idempotency_key"))(
    "%s has its limits, too, when it is changed",
    async (field, min, longest) => {
      const max = LONGEST_OF_CHANGE[field] ?? longest;
      const ticket = await makeTicket(harness.now, project);
      const patch = (length: number) =>
        harness.now.call("PATCH", ticket.path, {
          token: project.admin.token,
          body: { [field]: "y".repeat(length) },
        });
      for (const length of [min, max]) expect((await patch(length)).body[field]).toBe("y".repeat(length));
      for (const length of [min - 1, max + 1]) if (length >= 0) expectFields(await patch(length), [field]);
      const after = await harness.now.call("GET", ticket.path, { token: project.admin.token });
      expect(after.body[field]).toBe("y".repeat(max));
    },
  );

  test.each([
    ["projects", "POST", "/projects", { name: "x".repeat(121) }, ["name"]],
    ["projects", "POST", "/projects", { name: "" }, ["name"]],
    ["projects", "POST", "/projects", { name: "x", key: "A" }, ["key"]],
    ["projects", "POST", "/projects", { name: "x", key: "ABCDEFGHIJK" }, ["key"]],
    ["projects", "POST", "/projects", { name: "x", key: "1A" }, ["key"]],
    ["projects", "POST", "/projects", { name: "x", key: "ab" }, ["key"]],
    ["projects", "POST", "/projects", { name: "x", slug: "-x" }, ["slug"]],
    ["projects", "POST", "/projects", { name: "x", slug: "x".repeat(64) }, ["slug"]],
    ["projects", "POST", "/projects", { name: "x", repositories: ["a/b/c"] }, ["repositories.0"]],
    ["projects", "POST", "/projects", { name: "x", repositories: [`a/${"b".repeat(101)}`] }, [
      "repositories.0",
    ]],
    ["users", "POST", "/users", { email: "a@b", name: "x".repeat(121) }, ["name"]],
    ["users", "POST", "/users", { email: `${"x".repeat(250)}@b.de`, name: "x" }, ["email"]],
    ["users", "POST", "/users", { email: "no at sign", name: "x" }, ["email"]],
    ["users", "POST", "/users", { email: "a@b\0", name: "x" }, ["email"]],
    ["users", "POST", "/users", { email: "a@b", name: "x", password: "x".repeat(7) }, ["password"]],
    ["keys", "POST", "/keys", { name: "\ud83d" }, ["name"]],
  ])("%s too: %s %s %j", async (_, method, path, body, fields) => {
    expectFields(await harness.now.call(method, path, { token: project.admin.token, body }), fields);
  });
});

describe("text of any script", () => {
  const SCRIPTS: [string, string][] = [
    ["Latin", "a"],
    ["emoji outside the basic plane", "🎫"],
    ["Chinese", "票"],
    ["rare Chinese outside the basic plane", "𠮷"],
    ["Arabic, right to left", "ب"],
    ["combining marks", "\u0301"],
    ["Hindi", "क"],
    ["line ends", "\n"],
    ["zero-width joiners", "\u200d"],
    ["a right-to-left override", "\u202e"],
    ["the byte order mark", "\ufeff"],
    ["noncharacters", "\uffff"],
    ["control characters", "\u0001"],
    ["quotes and backslashes", "'\\"],
  ];

  test.each(SCRIPTS)("%s: 5000 code points are stored as sent, 5001 refused", async (_, unit) => {
    const points = [...unit].length;
    // One of them must be visible.
    const description = "x".repeat(points) + unit.repeat(5000 / points - 1);
    expect([...description]).toHaveLength(5000);
    const ticket = await stored(harness.now, project, { description, implementation_notes: description });
    expect(ticket.description).toBe(description);
    expect(ticket.implementation_notes).toBe(description);
    const before = await ticketsOf(harness.now, project);
    expectFields(
      await post(harness.now, project, { body: ticketInput({ description: `${description}x` }) }),
      ["description"],
    );
    expect(await ticketsOf(harness.now, project)).toBe(before);
  });

  test("is stored as sent: neither trimmed nor normalised", async () => {
    const title = "  e\u0301 \u00e9 \u2126 Ω  ";
    expect((await stored(harness.now, project, { title })).title).toBe(title);
  });

  test("of ten words and no more is counted in code points at the lower end too", async () => {
    expectFields(await post(harness.now, project, { body: ticketInput({ title: "🎫🎫🎫🎫" }) }), ["title"]);
    expect((await stored(harness.now, project, { title: "🎫🎫🎫🎫🎫" })).title).toBe("🎫🎫🎫🎫🎫");
  });

  test.each([
    ["NUL", "\0"],
    ["a high surrogate alone", "\ud83c"],
    ["a low surrogate alone", "\udfab"],
    ["two surrogates the wrong way round", "\udfab\ud83c"],
  ])("with %s is refused wherever it stands", async (_, bad) => {
    const text = `some text ${bad} with it`;
    const before = await ticketsOf(harness.now, project);
    for (const [field] of LIMITS) {
      expectFields(await post(harness.now, project, { body: ticketInput({ [field]: text }) }), [field]);
    }
    for (const evidence of [{ [text]: 1 }, { a: text }, { a: [{ b: [text] }] }]) {
      expectFields(await post(harness.now, project, { body: ticketInput({ evidence }) }), ["evidence"]);
    }
    const { token } = project.admin;
    const search = await harness.now.call("GET", `${project.path}/tickets?q=${encodeURIComponent("a\0b")}`, {
      token,
    });
    expectFields(search, ["q"]);
    expect(await ticketsOf(harness.now, project)).toBe(before);
  });

  test("in the Idempotency-Key field is the same key as in the body", async () => {
    const key = "ключ-🔑";
    const bytes = String.fromCharCode(...new TextEncoder().encode(key));
    const byField = await post(harness.now, project, {
      body: ticketInput(),
      headers: { "idempotency-key": bytes },
    });
    const byBody = await post(harness.now, project, { body: ticketInput({ idempotency_key: key }) });
    expect([byField.status, byBody.status]).toEqual([201, 200]);
    expect(byBody.body.ticket.id).toBe(byField.body.ticket.id);
    const longest = await post(harness.now, project, {
      body: ticketInput(),
      headers: { "idempotency-key": String.fromCharCode(...new TextEncoder().encode("ж".repeat(128))) },
    });
    expect(longest.status).toBe(201);
  });

  test("that is not UTF-8 is refused as a body", async () => {
    const body = new TextEncoder().encode(JSON.stringify(ticketInput({ title: "A title of bytes ÿ" })));
    for (const bytes of [[0xff, 0xfe], [0xc3, 0x28], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80]]) {
      const at = body.indexOf(0xc3);
      const raw = new Uint8Array([...body.slice(0, at), ...bytes, ...body.slice(at + 2)]);
      const answer = await post(harness.now, project, {
        raw,
        headers: { "content-type": "application/json" },
      });
      expectError(answer, 400, "invalid_json");
      const call = await harness.now.request("POST", "/trpc/tickets.create", {
        token: project.admin.token,
        raw: new Uint8Array([
          ...new TextEncoder().encode(`{"json":{"id":"${project.id}",`),
          ...raw.slice(1),
          0x7d,
        ]),
        headers: { "content-type": "application/json" },
      });
      const { status, headers } = call;
      expectTrpcError({ status, headers, body: await call.json() }, 400, "invalid_json");
    }
  });
});
