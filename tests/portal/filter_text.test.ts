import fc from "fast-check";
import { expect, test } from "vitest";
import {
  begunAt,
  replaceValue,
  toggleValue,
  valuesOf,
  withoutKey,
  wordsAlone,
  writeName,
} from "../../portal/app/filter_text.ts";
import { FILTER_KEYS } from "../../src/tickets/filter_terms.ts";
import { FilterFault, type FilterText, parseFilterText } from "../../src/tickets/filter_text.ts";

test.each(
  [
    ["", "label", "ui", "label:ui"],
    ["upload", "label", "ui", "label:ui upload"],
    ["type:bug upload", "label", '"needs design"', 'type:bug label:"needs design" upload'],
    ["label:ui", "label", "api", "label:ui,api"],
    ["label:ui,api x", "label", "UI", "label:api x"],
    ["x label:ui y", "label", "ui", "x y"],
    ["-label:ui", "label", "ui", "-label:ui label:ui"],
    ['upload "not closed', "label", "ui", 'label:ui upload "not closed'],
    ['label:"not closed', "type", "bug", 'type:bug label:"not closed'],
    ["is:mine", "is", "overdue", "is:mine is:overdue"],
    ["is:mine is:overdue", "is", "mine", "is:overdue"],
    ["stage:in-progress", "stage", "in_progress", ""],
    ["label:none", "label", '"none"', 'label:none,"none"'],
  ] as const,
)("of %j, %s %s makes %j", (text, key, value, expected) => {
  expect(toggleValue(text, key, value)).toBe(expected);
});

const texts = fc.oneof(
  fc.string({ maxLength: 30 }),
  fc.array(
    fc.constantFrom(
      "upload",
      '"a b"',
      "or",
      "-draft",
      "label:ui,api",
      '-label:"needs design"',
      "is:mine",
      "is:open,mine",
      'label:"open',
      "due:<7d",
      "https://x.example",
      '"',
      "label:",
    ),
    { maxLength: 6 },
  ).map((parts) => parts.join(" ")),
);

function read(text: string): FilterText | null {
  try {
    return parseFilterText(text);
  } catch (error) {
    if (error instanceof FilterFault) return null;
    throw error;
  }
}

test("a value that is added is read by the service, and beside it the text means the same", () => {
  let asked = 0;
  fc.assert(
    fc.property(texts, fc.constantFrom("ui", "needs design", "none", "zz"), (text, name) => {
      const before = read(text);
      const value = writeName(name);
      if (!before || valuesOf(text, "label").includes(value)) return;
      const after = read(toggleValue(text, "label", value));
      // An `or` can't stand beside a filter.
      if (!after) return;
      asked++;
      const others = ({ filters }: FilterText) =>
        filters.filter(({ key, excluded }) => key !== "label" || excluded);
      expect(after.words.trim()).toBe(before.words.trim());
      expect(others(after)).toEqual(others(before));
      const labels = after.filters.filter(({ key, excluded }) => key === "label" && !excluded);
      expect(labels.flatMap(({ values }) => values as unknown[])).toContainEqual({ name });
      expect(valuesOf(withoutKey(toggleValue(text, "label", value), "label"), "label")).toEqual([]);
    }),
    { numRuns: 2000, seed: 20_261_128 },
  );
  expect(asked).toBeGreaterThan(500);
});

test("a wrong value is replaced wherever it stands, and nothing else is", () => {
  expect(replaceValue("label:uii,api -label:uii uii", "label", "uii", "ui")).toBe(
    "label:ui,api -label:ui uii",
  );
  expect(replaceValue('assignee:@"Ana M" x', "assignee", "Ana M", '"Ana Moreira"')).toBe(
    'assignee:"Ana Moreira" x',
  );
  const long = "y".repeat(150);
  expect(replaceValue(`label:${long}`, "label", `${"y".repeat(100)}…`, "ui")).toBe("label:ui");
  expect(replaceValue("label:ui", "label", "api", "x")).toBe("label:ui");
});

test("words are told from filters", () => {
  expect(wordsAlone('label:ui upload "a b" https://x.example -draft due:<7d')).toBe(
    'upload "a b" https://x.example -draft',
  );
});

test.each([
  ["lab|", { key: null, typed: "lab", start: 0, end: 3 }],
  ["x -lab|", { key: null, typed: "lab", start: 3, end: 6 }],
  ["label:|", { key: "label", typed: "", start: 6, end: 6 }],
  ["x label:ui,ne|eds y", { key: "label", typed: "ne", start: 11, end: 16 }],
  ['label:"needs d|', { key: "label", typed: "needs d", start: 6, end: 14 }],
  ['label:ui,"needs, d|', { key: "label", typed: "needs, d", start: 9, end: 18 }],
  ["-LABEL:ui|", { key: "label", typed: "ui", start: 7, end: 9 }],
  ["https:|", null],
  ['"lab|', null],
  ["la|bel", null],
  ["x |", null],
  ["404|", null],
])("at %j a person writes %j", (marked, expected) => {
  const caret = marked.indexOf("|");
  expect(begunAt(marked.replace("|", ""), caret)).toEqual(expected);
});

test("each key that is offered is one", () => {
  for (const key of FILTER_KEYS) expect(begunAt(`${key}:`, key.length + 1)?.key).toBe(key);
});
