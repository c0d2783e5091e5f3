import { expect, test } from "vitest";
import { isFiltered, readFilters } from "../../portal/board/filters.ts";
import { rangeOf } from "../../portal/board/use_pages_in_view.ts";

test("an address keeps the filters that are known, and leaves out all else", () => {
  const known = {
    q: "upload",
    request_type: "bug",
    priority: "high",
    role: "qa",
    blocking: true,
    stage: "backlog",
  };
  expect(readFilters({ ...known, ticket: "HO-1", toString: "x" })).toEqual(known);
  expect(readFilters({ request_type: "wish", priority: 1, role: "toString", blocking: "true", stage: "" }))
    .toEqual({});
});

test("a search in an address may be a number, is cut, and is none if empty", () => {
  expect(readFilters({ q: 404 })).toEqual({ q: "404" });
  expect(readFilters({ q: "x".repeat(300) })).toEqual({ q: "x".repeat(200) });
  for (const q of ["", null, ["a"], undefined]) expect(readFilters({ q })).toEqual({});
});

test("an order is no filter", () => {
  expect(isFiltered({})).toBe(false);
  expect(isFiltered({ q: undefined })).toBe(false);
  expect(isFiltered({ blocking: true })).toBe(true);
});

test("the pages near the visible part are drawn, and no others", () => {
  const pages = Array.from({ length: 10 }, () => 4_000);
  const at = (scrollTop: number) => rangeOf({ scrollTop, clientHeight: 800 }, pages);
  expect(at(0)).toEqual({ from: 0, to: 0 });
  // The visible part ends 1,600 pixels before the next page, so this page is drawn only from here on.
  expect(at(1_600)).toEqual({ from: 0, to: 0 });
  expect(at(1_601)).toEqual({ from: 0, to: 1 });
  expect(at(5_600)).toEqual({ from: 0, to: 1 });
  expect(at(5_601)).toEqual({ from: 1, to: 2 });
  expect(at(39_200)).toEqual({ from: 9, to: 9 });
  expect(at(90_000)).toEqual({ from: 9, to: 9 });
  expect(rangeOf({ scrollTop: 0, clientHeight: 800 }, [])).toEqual({ from: 0, to: 0 });
});
