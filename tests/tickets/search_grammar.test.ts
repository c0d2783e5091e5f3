import { expect, test } from "vitest";
import { parseSearch } from "../../src/tickets/search_grammar.ts";

/** The words that are sought, and texts without a word. */
function sought(q: string) {
  return parseSearch(q, ["HO", "OLD"]).alternatives.map(({ words, literals }) =>
    [words, ...literals.map(({ text, excluded }) => `${excluded ? "-" : ""}${text}`)].filter((part) =>
      part !== null
    )
  );
}

test.each([
  ["upload fails", [["('upload' & 'fails')"]]],
  ['"upload fails" today', [["('upload fails' & 'today')"]]],
  ["„upload fails“", [["('upload fails')"]]],
  ['"not closed', [["('not closed')"]]],
  ["upload -fails", [["('upload' & !'fails')"]]],
  ["--force", [["('--force')"]]],
  ["java.net.Socket", [["('java.net.Socket')"]]],
  ["crash or hang", [["('crash') | ('hang')"]]],
  ['crash "or" hang', [["('crash' & 'or' & 'hang')"]]],
  ["the upload", [["('upload')"]]],
  ["or", [["('or')"]]],
  ["it's", [["('it s')"]]],
  ["5㎏", [["(('5㎏' | '5kg'))"]]],
  ["->", [["->"]]],
  ["upload ->", [["('upload')"]]],
] as [string, string[][]][])("%s is sought as %j", (q, expected) => {
  expect(sought(q)).toEqual(expected);
});

test.each([
  ["HO-12", [12]],
  ["ho-12 and OLD-7", [12, 7]],
  ["HO‐12", [12]],
  ["feature/ho-1-login", []],
  ["HO-1.5", []],
  ["XHO-1", []],
  ["HO-0", []],
] as [string, number[]][])("%s names the tickets %j", (q, refs) => {
  expect(parseSearch(q, ["HO", "OLD"]).refs).toEqual(refs);
});

test("a ref is sought as the ticket itself and as a mention under each key", () => {
  expect(sought("HO-12")).toEqual([["(((#12 | 'HO-12' | 'OLD-12')))"]]);
});
