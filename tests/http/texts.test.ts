import { beforeAll, describe, expect, test } from "vitest";
import { makeProject, makeTicket, type TestProject, ticketInput } from "../factories.ts";
import { useHarness } from "../harness.ts";
import { expectError, expectFields, post, ticketsOf } from "./_calls.ts";

const harness = useHarness();
let project: TestProject;
beforeAll(async () => {
  project = await makeProject(harness.now);
});

async function stored(fields: Record<string, unknown>): Promise<Record<string, unknown>> {
  const created = await post(harness.now, project, { body: ticketInput(fields) });
  expect(created.status).toBe(201);
  const { token } = project.admin;
  return (await harness.now.call("GET", `${project.path}/tickets/${created.body.ticket.id}`, { token })).body;
}

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

describe("every text of a ticket has its limits", () => {
  test.each(LIMITS)("%s takes %i to %i characters and not one less or more", async (field, min, max) => {
    for (const length of [min, max]) {
      const text = "x".repeat(length);
      const ticket = await stored({ [field]: text });
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
    "%s has the same ones when it is changed",
    async (field, min, max) => {
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
    ["users", "POST", "/users", { email: "a@b", name: "x", password: "x".repeat(9) }, ["password"]],
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
    const description = unit.repeat(5000 / points);
    expect([...description]).toHaveLength(5000);
    const ticket = await stored({ description, implementation_notes: description });
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
    expect((await stored({ title })).title).toBe(title);
  });

  test("of ten words and no more is counted in code points at the lower end too", async () => {
    expectFields(await post(harness.now, project, { body: ticketInput({ title: "🎫🎫🎫🎫" }) }), ["title"]);
    expect((await stored({ title: "🎫🎫🎫🎫🎫" })).title).toBe("🎫🎫🎫🎫🎫");
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
    }
  });
});

describe("evidence", () => {
  const echo = async (evidence: unknown) => (await stored({ evidence })).evidence;

  test("keeps any keys and any values", async () => {
    const evidence = {
      "": "an empty key",
      "a.b": { "c d": [null, true, -0.5, "", [], {}] },
      "'; drop table tickets; --": "${jndi:ldap://x}",
      "ключ": "🎫".repeat(1000),
      constructor: { prototype: 1 },
      toString: null,
      hasOwnProperty: [],
    };
    expect(await echo(evidence)).toEqual(evidence);
  });

  test("keeps a key called __proto__, and nobody's prototype changes", async () => {
    const raw = JSON.stringify(ticketInput({ evidence: { x: 1 } }))
      .replace(
        '{"x":1}',
        '{"__proto__":{"polluted":true},"a":{"__proto__":[1],"constructor":{"prototype":{"polluted":true}}}}',
      );
    const created = await post(harness.now, project, {
      raw,
      headers: { "content-type": "application/json" },
    });
    expect(created.status).toBe(201);
    const response = await harness.now.request(
      "GET",
      `/api${project.path}/tickets/${created.body.ticket.id}`,
      {
        headers: { authorization: `Bearer ${project.admin.token}` },
      },
    );
    const { evidence } = JSON.parse(await response.text());
    expect(Object.keys(evidence).sort()).toEqual(["__proto__", "a"]);
    expect(JSON.stringify(evidence)).toContain('"__proto__":{"polluted":true}');
    expect(Object.keys(evidence.a).sort()).toEqual(["__proto__", "constructor"]);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  test("may be 100 levels deep, and no deeper", async () => {
    const nested = (levels: number): unknown => levels === 1 ? {} : { a: nested(levels - 1) };
    expect(await echo(nested(100))).toEqual(nested(100));
    expectFields(await post(harness.now, project, { body: ticketInput({ evidence: nested(101) }) }), [
      "evidence",
    ]);
    for (const raw of [deep('{"a":', "}", 40_000), deep("[", "]", 100_000)]) {
      const body = JSON.stringify(ticketInput({ evidence: { a: 0 } })).replace('"a":0', `"a":${raw}`);
      const answer = await post(harness.now, project, {
        raw: body,
        headers: { "content-type": "application/json" },
      });
      expectFields(answer, ["evidence"]);
    }
  });

  test("keeps every number that is one, and refuses what is too large to be one", async () => {
    const evidence = {
      a: 9007199254740991,
      b: -1.5e-300,
      c: 1.7976931348623157e308,
      d: 0,
      e: 5e-324,
      f: 1e21,
    };
    expect(await echo(evidence)).toEqual(evidence);
    for (const number of ["1e400", "-1e400", `1${"0".repeat(400)}`]) {
      const raw = JSON.stringify(ticketInput({ evidence: { a: [0] } })).replace("[0]", `[${number}]`);
      const answer = await post(harness.now, project, {
        raw,
        headers: { "content-type": "application/json" },
      });
      expectFields(answer, ["evidence"]);
    }
    // Beyond 2^53 JSON's numbers are what IEEE 754 makes of them, for every JavaScript client anyway.
    const raw = JSON.stringify(ticketInput({ evidence: { a: 0 } })).replace('"a":0', '"a":9007199254740993');
    const created = await post(harness.now, project, {
      raw,
      headers: { "content-type": "application/json" },
    });
    expect(created.status).toBe(201);
  });

  test("of many keys is nothing special", async () => {
    const evidence = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, index) => [`key ${index}`, index]),
    );
    expect(await echo(evidence)).toEqual(evidence);
  });
});

describe("numbers and keys elsewhere", () => {
  test("a huge number where a text or boolean belongs is an ordinary 400", async () => {
    for (const number of ["1e400", "9007199254740993", "-0"]) {
      const raw = JSON.stringify(ticketInput({ blocking: 0 })).replace(
        '"blocking":0',
        `"blocking":${number}`,
      );
      const answer = await post(harness.now, project, {
        raw,
        headers: { "content-type": "application/json" },
      });
      expectFields(answer, ["blocking"]);
    }
  });

  test("__proto__, constructor and prototype in a body are unknown fields like others", async () => {
    for (const name of ["__proto__", "constructor", "prototype", "toString"]) {
      const raw = JSON.stringify(ticketInput()).replace(/}$/, `,"${name}":{"title":"from the prototype"}}`);
      const answer = await post(harness.now, project, {
        raw,
        headers: { "content-type": "application/json" },
      });
      expectFields(answer, [name]);
    }
  });

  test("of a key that comes twice the last one counts", async () => {
    const raw = JSON.stringify(ticketInput({ title: "The first title" })).replace(
      /}$/,
      ',"title":"The last title"}',
    );
    const created = await post(harness.now, project, {
      raw,
      headers: { "content-type": "application/json" },
    });
    expect(created.body.ticket.title).toBe("The last title");
  });
});

function deep(open: string, close: string, levels: number): string {
  const inner = open.endsWith(":") ? "0" : "";
  return open.repeat(levels) + inner + close.repeat(levels);
}
