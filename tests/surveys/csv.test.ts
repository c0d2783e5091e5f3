import fc from "fast-check";
import { expect, test } from "vitest";
import { listCell, writeCsv } from "../../src/surveys/csv.ts";

// The texts mostly consist of characters that are special in a cell.
const character = fc.constantFrom(..."ab=+-@＝'\"; ,\t\r\n");
const cell = fc.string({ unit: character, maxLength: 8 });

test("no two texts give the same cell", () => {
  fc.assert(
    fc.property(cell, cell, (one, other) => {
      expect(writeCsv([[one]]) === writeCsv([[other]])).toBe(one === other);
    }),
    { numRuns: 20_000 },
  );
});

test("an apostrophe before each, and a text that begins with one, are told apart", () => {
  fc.assert(
    fc.property(cell, (text) => {
      expect(writeCsv([[text]])).not.toBe(writeCsv([[`'${text}`]]));
    }),
    { numRuns: 20_000 },
  );
});

test("no two lists of options give the same cell", () => {
  const items = fc.array(fc.string({ unit: fc.constantFrom(..."a;\" '="), minLength: 1, maxLength: 4 }), {
    minLength: 1,
    maxLength: 4,
  });
  fc.assert(
    fc.property(items, items, (one, other) => {
      const same = JSON.stringify(one) === JSON.stringify(other);
      expect(writeCsv([[listCell(one)]]) === writeCsv([[listCell(other)]])).toBe(same);
    }),
    { numRuns: 20_000 },
  );
});
