import { expect, test } from "vitest";
import { ownAddress } from "../../portal/sign_in/next.ts";
import { findTyped, keepMentions, readMentions, writeMentions } from "../../portal/ticket/mentions.ts";
import { isReadable } from "../../portal/ui/markdown_bounds.ts";

test("a text that would freeze or end the page is known before it is read as Markdown", () => {
  const bombs = [
    ">".repeat(10_000),
    "> ".repeat(5_000),
    "1. ".repeat(3_333),
    "- ".repeat(3_000),
    `${"a|".repeat(1_249)}\n${"-|".repeat(1_249)}\n${"a\n".repeat(2_500)}`,
    `> ${"a|".repeat(624)}\n> ${"-|".repeat(624)}\n${"> a\n".repeat(900)}`,
    "*a_".repeat(3_333),
    `${"**".repeat(2_500)}a${"**".repeat(2_500)}`,
    "]".repeat(10_000),
    "[^a]".repeat(2_492),
    "~a".repeat(5_000),
    "<!--".repeat(2_500),
    "x\n".repeat(10) + "**\n".repeat(3_000),
  ];
  for (const text of bombs) expect(isReadable(text), text.slice(0, 30)).toBe(false);
});

test("usual long texts are read as Markdown", () => {
  const row = `${"| cell ".repeat(20)}|\n`;
  const texts = [
    "A **bold** word in a [link](https://example.test). ".repeat(150),
    "- [ ] point\n  - [x] below\n".repeat(300),
    `${row}${"|---".repeat(20)}|\n${row.repeat(60)}`,
    `> > > quoted\n\n${"*".repeat(80)}\n\n${"snake_case_name and `code`\n\n".repeat(300)}`,
    "文字。".repeat(3_000),
  ];
  for (const text of texts) expect(isReadable(text), text.slice(0, 30)).toBe(true);
});

const ORIGIN = "https://handoff.example.test";

test.each([
  ["/HO/board?q=a#b", `${ORIGIN}/HO/board?q=a#b`],
  ["/", `${ORIGIN}/`],
  ["/.//evil.example/", `${ORIGIN}//evil.example/`],
  ["/\t/evil.example", null],
  ["/\n/evil.example", null],
  ["/\r\\evil.example", null],
  ["//evil.example", null],
  ["/\\evil.example", null],
  ["javascript:alert(1)", null],
  ["https://evil.example", null],
  ["", null],
  [7, null],
])("after the sign-in %j leads to %j", (next, address) => {
  expect(ownAddress(next, ORIGIN)).toBe(address);
});

const [ONE, TWO] = ["01a22057-0000-7000-8000-000000000001", "01a22057-0000-7000-8000-000000000002"];

/** The stored text after an edit that replaces a part of the text that is shown. */
function edit(stored: string, from: number, to: number, typed: string, chosen?: string): string {
  const text = readMentions(stored);
  const shown = text.shown.slice(0, from) + typed + text.shown.slice(to);
  const kept = keepMentions(text, shown, from + typed.length);
  const all = chosen ? [...kept, { at: from, name: typed.slice(1).trim(), id: chosen }] : kept;
  return writeMentions({ shown, mentions: findTyped(shown, all, text.mentions) });
}

test("two people of one name keep their own mentions while text is typed around them", () => {
  const first = edit("Ask @", 4, 5, "@Alex Kim ", ONE);
  expect(first).toBe(`Ask @[Alex Kim](${ONE}) `);
  const both = edit(`${first}and @`, 18, 19, "@Alex Kim ", TWO);
  expect(both).toBe(`Ask @[Alex Kim](${ONE}) and @[Alex Kim](${TWO}) `);
  expect(edit(both, 0, 0, "Please: ")).toBe(`Please: ${both}`);
  // The first mention is cut out, and the second one stays who it is.
  expect(edit(both, 4, 18, "")).toBe(`Ask @[Alex Kim](${TWO}) `);
  expect(edit(both, 13, 27, "")).toBe(`Ask @[Alex Kim](${ONE}) `);
});

test("a name that was changed mentions nobody, and a name that was typed again mentions its person", () => {
  const stored = `@[Ann Adler](${ONE}) look`;
  expect(edit(stored, 10, 10, "s")).toBe("@Ann Adlers look");
  expect(edit(stored, 5, 6, "")).toBe("@Ann dler look");
  expect(edit(stored, 15, 15, " @Ann Adler")).toBe(`${stored} @[Ann Adler](${ONE})`);
});
