import { expect, test } from "vitest";
import { GATE_CODES, type Obstacles, refusalOf } from "../../src/tickets/gates.ts";

const NONE: Obstacles = { people: [], roles: [], cases: [], children: [], questions: [] };
const ALL: Obstacles = {
  people: ["people"],
  roles: ["qa"],
  cases: [{ id: "1" }],
  children: [{ id: "3" }],
  questions: [{ id: "2" }],
};
const codeOf = (...args: Parameters<typeof refusalOf>) => refusalOf(...args)?.code;

test("a refusal is the first gate's, with its obstacles", () => {
  expect(codeOf("HO-1", ALL, { caller: "bot" })).toBe(GATE_CODES[0]);
  expect(refusalOf("HO-1", ALL, { caller: "person" })).toMatchObject({
    code: "roles_incomplete",
    message: "Cannot close ticket HO-1: 1 role is unfinished (qa)",
    fields: { details: { roles: ["qa"] } },
  });
});

test("each gate may be skipped by itself, and is open without obstacles", () => {
  const skips = { skipPendingRoles: true, skipHumanTestGate: true, skipOpenChildren: true };
  expect(codeOf("HO-1", NONE, { caller: "bot" })).toBeUndefined();
  expect(codeOf("HO-1", ALL, {})).toBe("roles_incomplete");
  expect(codeOf("HO-1", ALL, { skipPendingRoles: true })).toBe("human_tests_pending");
  expect(codeOf("HO-1", ALL, { ...skips, skipOpenChildren: false, caller: "person" })).toBe("children_open");
  expect(codeOf("HO-1", ALL, { ...skips, caller: "bot" })).toBe("people_close");
  expect(codeOf("HO-1", { ...ALL, people: [] }, { ...skips, caller: "bot" })).toBe("question_unanswered");
});

test("where only people close, a bot client closes with no resolution, and a person is not held back", () => {
  const kept = { ...NONE, people: ["people"] };
  const resolution = { type: "wont_fix" as const, note: null };
  expect(codeOf("HO-1", kept, { caller: "bot", resolution })).toBe("people_close");
  expect(codeOf("HO-1", kept, { caller: "person" })).toBeUndefined();
  expect(codeOf("HO-1", kept, {})).toBeUndefined();
});

test("a question holds back only a bot client that completes the ticket", () => {
  const asked = { ...NONE, questions: [{ id: "2" }] };
  const resolution = (type: "completed" | "wont_fix") => ({ type, note: null });
  expect(codeOf("HO-1", asked, { caller: "person" })).toBeUndefined();
  expect(codeOf("HO-1", asked, {})).toBeUndefined();
  expect(codeOf("HO-1", asked, { caller: "bot", resolution: resolution("wont_fix") })).toBeUndefined();
  expect(codeOf("HO-1", asked, { caller: "bot", resolution: resolution("completed") })).toBe(
    "question_unanswered",
  );
});
