import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  FilterFault,
  type FilterText,
  parseFilterText,
  type TicketFilter,
  writeFilterText,
} from "../../src/tickets/filter_text.ts";
import { FILTER_KEYS, type FilterKey, STATES } from "../../src/tickets/filter_terms.ts";
import { MAX_SEARCH_TEXT, Priority, RequestType, Stage, WaitingOn } from "../../src/tickets/schema.ts";
import { Role } from "../../src/core/schema.ts";
import { parseSearch } from "../../src/tickets/search_grammar.ts";

function filtersIn(text: string): TicketFilter[] {
  const { words, filters } = parseFilterText(text);
  expect(words).toBe("");
  return filters;
}

const filter = (key: FilterKey, ...values: unknown[]) => ({ key, excluded: false, values });

describe("a filter", () => {
  test.each([
    ["assignee:me", filter("assignee", "me")],
    ["assignee:none,ada@example.org", filter("assignee", "none", { name: "ada@example.org" })],
    ['assignee:"me"', filter("assignee", { name: "me" })],
    ["assignee:@ada", filter("assignee", { name: "ada" })],
    ["author:Ada", filter("author", { name: "Ada" })],
    ["author:none", filter("author", { name: "none" })],
    ['label:"needs design",ui', filter("label", { name: "needs design" }, { name: "ui" })],
    ["label:“needs design”", filter("label", { name: "needs design" })],
    ['label:"a, b"', filter("label", { name: "a, b" })],
    ['label:"none",none', filter("label", { name: "none" }, "none")],
    ['label:"not closed', filter("label", { name: "not closed" })],
    ["label:ui,,api,", filter("label", { name: "ui" }, { name: "api" })],
    ["label:area:ui", filter("label", { name: "area:ui" })],
    ["LABEL:UI", filter("label", { name: "UI" })],
    ['milestone:"1.0"', filter("milestone", { name: "1.0" })],
    ['column:"In review"', filter("column", { name: "In review" })],
    ["parent:ho-12,none", filter("parent", { ref: "HO-12" }, "none")],
    ["children-of:HO-12", filter("children-of", { ref: "HO-12" })],
    [
      "link:0190D3C1-6c7a-7bd1-a0f5-6d1f3c2b9e10",
      filter("link", { ref: "0190d3c1-6c7a-7bd1-a0f5-6d1f3c2b9e10" }),
    ],
    ["is:open,Blocked", filter("is", "open", "blocked")],
    ["stage:in_progress", filter("stage", "in_progress")],
    ['stage:"In progress",up-next', filter("stage", "in_progress", "up_next")],
    ["type:bug", filter("type", "bug")],
    ["priority:high,medium", filter("priority", "high", "medium")],
    ["role:backend", filter("role", "backend")],
    ["waiting:person", filter("waiting", "person")],
    ["due:overdue,today,none", filter("due", "overdue", "today", "none")],
    ["due:<7d", filter("due", { operator: "<", days: 7 })],
    ["updated:>=2w", filter("updated", { operator: ">=", days: 14 })],
    ["created:>2026-01-01", filter("created", { operator: ">", operand: "2026-01-01" })],
    ["closed:2026-01-01", filter("closed", { operator: "=", operand: "2026-01-01" })],
    ["due:2026-12-01..2026-12-31", filter("due", { from: "2026-12-01", to: "2026-12-31" })],
    ["due:..2026-12-31", filter("due", { from: null, to: "2026-12-31" })],
    ["due:2026-12-01..*", filter("due", { from: "2026-12-01", to: null })],
    ["estimate:>3", filter("estimate", { operator: ">", operand: 3 })],
    ["estimate:0.5..8,none", filter("estimate", { from: 0.5, to: 8 }, "none")],
    ["-label:ui,api", { key: "label", excluded: true, values: [{ name: "ui" }, { name: "api" }] }],
    ["－is:open", { key: "is", excluded: true, values: ["open"] }],
  ])("is read from %s", (text, expected) => {
    expect(filtersIn(text)).toEqual([expected]);
  });

  test.each([
    ["priority:urgent", "priority", "urgent"],
    ["is:done", "is", "done"],
    ["type:Error", "type", "Error"],
    ["due:soon", "due", "soon"],
    ["due:7d", "due", "7d"],
    ["due:<99999d", "due", "<99999d"],
    ["due:2026-02-30", "due", "2026-02-30"],
    ["due:..", "due", ".."],
    ["created:overdue", "created", "overdue"],
    ["created:none", "created", "none"],
    ["estimate:many", "estimate", "many"],
    ["estimate:1.234", "estimate", "1.234"],
    ["parent:12", "parent", "12"],
    ["link:none", "link", "none"],
    ["link:https://example.org/HO-7", "link", "https://example.org/HO-7"],
    ["assignee:@", "assignee", "@"],
    ['stage:"on hold"', "stage", "on hold"],
  ])("keeps an unknown value, as in %s", (text, key, unknown) => {
    expect(filtersIn(text)).toEqual([filter(key as FilterKey, { unknown })]);
  });

  test("stands anywhere between words, and each one counts", () => {
    expect(parseFilterText("  upload label:ui -draft\tlabel:api  crash or  late ")).toEqual({
      words: "upload -draft crash or  late",
      filters: [filter("label", { name: "ui" }), filter("label", { name: "api" })],
    });
  });
});

describe("the words", () => {
  test.each([
    "https://example.org/a",
    "TypeError: x",
    "label: ui",
    "label:",
    "label:,",
    "java.net:socket",
    '"label:ui"',
    '-"label:ui"',
    '"label":ui',
    "--label:ui",
    "(label:ui)",
    "mylabel:ui",
    "constructor:x",
    "is: it there",
    "lane:doing",
    'crash "or" hang',
    "crash or hang",
    "or",
    "it's 12:30",
  ])("are all of %s", (text) => {
    expect(parseFilterText(text)).toEqual({ words: text, filters: [] });
  });

  test.each([
    ['label:ui "not closed', '"not closed'],
    ['"not closed label:ui', '"not closed label:ui'],
    ["or upload or", "upload or"],
    ["label:ui or", "or"],
    ["or label:ui", "or"],
    ["label:ui upload or", "upload or"],
    ['foo-"bar"is:open  baz', 'foo-"bar" baz'],
    [" \n ", ""],
    ['label:"" is:open', 'label:""'],
  ])("in %j are %j", (text, words) => {
    expect(parseFilterText(text).words).toBe(words);
  });
});

test.each(["label:ui or label:api", "upload or label:ui", "upload label:ui or crash", "a or or -is:open b"])(
  "an or beside a filter is refused, as in %s",
  (text) => {
    expect(() => parseFilterText(text)).toThrow(FilterFault);
    expect(() => parseFilterText(text)).toThrow("A comma means one of");
  },
);

test("a text has its bounds", () => {
  const long = (length: number) => `label:${"ł".repeat(length - 6)}`;
  expect(filtersIn(long(MAX_SEARCH_TEXT))).toHaveLength(1);
  expect(() => parseFilterText(long(MAX_SEARCH_TEXT + 1))).toThrow("at most 2000 characters");
  expect(parseFilterText("😀".repeat(200)).words).toHaveLength(400);
  expect(() => parseFilterText(`${"x ".repeat(200)} y`)).toThrow("at most 200 characters beside the filters");
  expect(filtersIn("is:open ".repeat(20))).toHaveLength(20);
  expect(() => parseFilterText("is:open ".repeat(21))).toThrow("at most 20 filters");
  expect(filtersIn(`label:${"a,".repeat(100)}`)[0]!.values).toHaveLength(100);
  expect(() => parseFilterText(`label:${"a,".repeat(101)}`)).toThrow("at most 100 values");
});

// A text of the pieces from which the grammar is made, in any order.
const pieces = fc.constantFrom(
  ...'label: ui , " “ - -- or < <7d .. 2026-01-01 me none @ HO-12 due: is:open Assignee: stage: in progress １ , ,, x'
    .split(" "),
  " ",
  "  ",
  "\n",
);
const anyTexts = fc.array(pieces, { maxLength: 25 }).map((some) => some.join(""));

const names = fc.stringMatching(/^[a-z@-](?:[a-z ,:.-]{0,6}[a-z])?$/).filter((name) => !/^@/.test(name));
const pick = (options: readonly string[]) => fc.constantFrom(...options);
const operators = pick(["<", "<=", ">", ">="]);
const isoDays = fc.date({ min: new Date("1970-01-01"), max: new Date("2999-12-31"), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));
const points = fc.integer({ min: 0, max: 1_000_000 }).map((hundredths) => hundredths / 100);
const named = names.map((name) => ({ name }));
const refs = fc.tuple(pick(["HO", "A1"]), fc.integer({ min: 1, max: 999 }))
  .map(([key, number]) => ({ ref: `${key}-${number}` }));

function compared(operand: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.oneof(
    fc.record({ operator: fc.oneof(operators, fc.constant("=")), operand }),
    fc.record({ from: operand, to: fc.oneof(operand, fc.constant(null)) }),
    fc.record({ from: fc.constant(null), to: operand }),
  );
}

const days = fc.oneof(
  compared(isoDays),
  fc.record({ operator: operators, days: fc.integer({ min: 0, max: 36_500 }) }),
  pick(["today"]),
);

const VALUES: Record<FilterKey, fc.Arbitrary<unknown>> = {
  assignee: fc.oneof(named, pick(["me", "none"])),
  author: fc.oneof(named, pick(["me"])),
  label: fc.oneof(named, pick(["none"])),
  milestone: fc.oneof(named, pick(["none"])),
  column: fc.oneof(named, pick(["none"])),
  parent: fc.oneof(refs, pick(["none"])),
  "children-of": refs,
  link: refs,
  is: pick(STATES),
  stage: pick(Stage.options),
  type: pick(RequestType.options),
  priority: pick(Priority.options),
  role: pick(Role.options),
  waiting: pick(WaitingOn.options),
  due: fc.oneof(days, pick(["overdue", "none"])),
  created: days,
  updated: days,
  closed: days,
  estimate: fc.oneof(compared(points), pick(["none"])),
};

/** A text that no key but those of names takes. */
const unknown = fc.stringMatching(/^zz(?:[a-z ,:.<-]{0,6}[a-z])?$/).map((text) => ({ unknown: text }));

const filters = fc.oneof(
  ...FILTER_KEYS.map((key) => {
    const isNamed = ["assignee", "author", "label", "milestone", "column"].includes(key);
    const value = isNamed ? VALUES[key] : fc.oneof({ weight: 5, arbitrary: VALUES[key] }, unknown);
    return fc.record({
      key: fc.constant(key),
      excluded: fc.boolean(),
      values: fc.array(value, { minLength: 1, maxLength: 4 }),
    });
  }),
) as fc.Arbitrary<TicketFilter>;

/** The words are those of any text, because they are read into one form. */
const parsed: fc.Arbitrary<FilterText> = fc.record({
  words: fc.oneof(fc.string({ maxLength: 30 }), anyTexts).map((text) => wordsOf(text)),
  filters: fc.array(filters, { maxLength: 5 }),
});

function wordsOf(text: string): string {
  try {
    return parseFilterText(text).words;
  } catch {
    return "";
  }
}

describe("any text", () => {
  test("that is written from filters is read as the same filters", () => {
    fc.assert(
      fc.property(parsed, (wanted) => {
        expect(parseFilterText(writeFilterText(wanted))).toEqual(wanted);
      }),
      { numRuns: 3000, seed: 20_261_128 },
    );
  });

  test("keeps its meaning when it is written again", () => {
    let read = 0;
    fc.assert(
      fc.property(anyTexts, (text) => {
        let first: FilterText;
        try {
          first = parseFilterText(text);
        } catch (error) {
          expect(error).toBeInstanceOf(FilterFault);
          return;
        }
        read++;
        expect(parseFilterText(writeFilterText(first))).toEqual(first);
      }),
      { numRuns: 3000, seed: 20_261_128 },
    );
    expect(read).toBeGreaterThan(2000);
  });

  test("without a filter is sought as the grammar of words reads it", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ maxLength: 40 }), anyTexts), (text) => {
        fc.pre(!/[a-z]:/i.test(text) && text.trim() !== "");
        const { words } = parseFilterText(text);
        expect(parseSearch(words, ["HO"])).toEqual(parseSearch(text, ["HO"]));
      }),
      { numRuns: 3000, seed: 20_261_128 },
    );
  });
});
