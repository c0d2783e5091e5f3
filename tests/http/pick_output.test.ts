import fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import { publishedProcedures } from "../../src/http/procedures.ts";
import { outputPicker } from "../../src/http/pick_output.ts";

const Row = z.object({
  id: z.uuid(),
  "odd name": z.string().nullable(),
  count: z.int().optional(),
  roles: z.array(z.object({ role: z.enum(["qa", "backend"]) })),
  nested: z.object({ at: z.iso.datetime() }).nullable().optional(),
  evidence: z.record(z.string(), z.unknown()),
});

test("what the schema doesn't name stays inside, at every depth", () => {
  const id = "01a1ff15-418f-725c-b7e7-85094696ddca";
  const pick = outputPicker(z.object({ rows: z.array(Row) }));
  const row = {
    id,
    "odd name": null,
    roles: [{ role: "qa" }],
    nested: { at: "2026-01-01T00:00:00Z" },
    evidence: { a: 1 },
  };
  const secret = { password_hash: "secret" };
  const leaky = {
    ...row,
    ...secret,
    roles: [{ role: "qa", ...secret }],
    nested: { ...row.nested, ...secret },
  };
  expect(JSON.stringify(pick({ rows: [leaky], ...secret }))).toBe(JSON.stringify({ rows: [row] }));
});

test("every value that fits the schema leaves as parsing leaves it", () => {
  const extra = fc.record({ password_hash: fc.string() }, { requiredKeys: [] });
  const rows = fc.record({
    id: fc.uuid(),
    "odd name": fc.option(fc.string()),
    roles: fc.array(extra.map((more) => ({ role: "qa", ...more }))),
    nested: fc.constantFrom(null, { at: "2026-01-01T00:00:00Z" }),
    evidence: fc.dictionary(fc.string().filter((key) => key !== "__proto__"), fc.jsonValue()),
  });
  fc.assert(fc.property(rows, extra, (row, more) => {
    const value = { ...row, ...more };
    expect(JSON.stringify(outputPicker(Row)(value))).toBe(JSON.stringify(Row.parse(value)));
  }));
});

test("what a schema turns into something else, it still does", () => {
  const pick = outputPicker(
    z.object({ text: z.string().transform((text) => text.length), fallback: z.int().default(3) }),
  );
  expect(pick({ text: "four" })).toEqual({ text: 4, fallback: 3 });
});

test("every procedure has one", () => {
  for (const { name, pick } of publishedProcedures()) {
    expect([name, typeof pick]).toEqual([name, "function"]);
  }
});
