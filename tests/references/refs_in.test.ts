import { expect, test } from "vitest";
import { refsIn } from "../../src/references/refs_in.ts";

const own = "https://handoff.example";
const refsOf = (...texts: string[]) => refsIn(texts, own).map(({ key, number }) => `${key}-${number}`);

test.each([
  ["See HO-12, HO-7 and HO-12 again.", ["HO-12", "HO-7"]],
  ['(HO-1) **HO-2** HO-3: "HO-4"', ["HO-1", "HO-2", "HO-3", "HO-4"]],
  ["> Somebody quotes HO-5", ["HO-5"]],
  ["- [ ] HO-6\n- HO-7", ["HO-6", "HO-7"]],
  ["`HO-8` and\n```\nHO-9\n```\nand\n\n    HO-10", []],
  ["<!-- HO-11 -->", []],
  ["An unclosed ` HO-12", ["HO-12"]],
  ["ho-13 XHO_HO-14 HO-015 HO-0 HO- H-1", []],
  ["HO-1234567890", []],
  ["ABCDEFGHIJ-1 ABCDEFGHIJK-1", ["ABCDEFGHIJ-1"]],
  [`${own}/HO/tickets/HO-16 and <${own}/HO/board?ticket=HO-17>`, ["HO-16", "HO-17"]],
  ["https://jira.example/browse/HO-18 HO-19", ["HO-19"]],
  [`${own}.evil.example/HO-20`, []],
  ["Schlüssel HO-21 für 工单HO-22", ["HO-21", "HO-22"]],
  ["", []],
])("%s", (text, refs) => {
  expect(refsOf(text)).toEqual(refs);
});

test("texts are read each for itself, so open code in one hides nothing in the next", () => {
  expect(refsOf("```\nHO-1", "HO-2")).toEqual(["HO-2"]);
});

test("the first hundred of a text count", () => {
  const many = Array.from({ length: 150 }, (_, at) => `HO-${at + 1}`);
  expect(refsOf(many.join(" "))).toEqual(many.slice(0, 100));
});
