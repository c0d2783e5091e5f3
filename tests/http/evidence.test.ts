import { describe, expect, test } from "vitest";
import { ticketInput, useProject } from "../factories.ts";
import { useHarness } from "../harness.ts";
import { expectFields, post, stored } from "./_calls.ts";

const harness = useHarness();
const project = useProject(harness);

describe("evidence", () => {
  const echo = async (evidence: unknown) => (await stored(harness.now, project, { evidence })).evidence;

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
