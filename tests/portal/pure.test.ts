import { expect, test } from "vitest";
import { isFiltered, readFilters } from "../../portal/board/filters.ts";
import type { HistoryEntry } from "../../portal/api/types.ts";
import { changesOf, sentenceOf } from "../../portal/words/history.ts";
import { addDays, todayIn, urgencyOf } from "../../portal/ui/days.ts";
import { contrastOf, inksOf } from "../../portal/ui/label_colors.ts";
import { rangeOf } from "../../portal/board/use_pages_in_view.ts";

test("an address keeps its text and order, and leaves out all else", () => {
  const known = { q: "label:ui upload", sort: "-priority" };
  expect(readFilters({ ...known, ticket: "HO-1", toString: "x" })).toEqual(known);
  expect(readFilters({ request_type: "wish", priority: 1, role: "toString", blocking: "true", stage: "" }))
    .toEqual({});
});

test("the fields of an earlier address become filters of its text, once", () => {
  const earlier = {
    q: "upload",
    request_type: "bug",
    priority: "high",
    role: "qa",
    blocking: true,
    stage: "backlog",
  };
  const read = readFilters(earlier);
  expect(read).toEqual({ q: "type:bug priority:high role:qa stage:backlog is:blocking upload" });
  expect(readFilters({ ...earlier, ...read })).toEqual(read);
});

test("a search in an address may be a number, is cut, and is none if empty", () => {
  expect(readFilters({ q: 404 })).toEqual({ q: "404" });
  expect(readFilters({ q: "x".repeat(3000) })).toEqual({ q: "x".repeat(2000) });
  for (const q of ["", null, ["a"], undefined]) expect(readFilters({ q })).toEqual({});
});

test("an order is no filter", () => {
  expect(isFiltered({})).toBe(false);
  expect(isFiltered({ q: undefined, sort: "-priority" })).toBe(false);
  expect(isFiltered({ q: "is:blocking" })).toBe(true);
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

const ANN = "01a22059-3ae2-778f-8000-000000000001";
const BEN = "01a22059-3ae2-778f-8000-000000000002";

/** One act of Ann's on a task, by the fields that it changes. */
function act(
  fields: Record<string, [from: unknown, to: unknown]>,
  actor: Partial<HistoryEntry["actor"]> = {},
) {
  return Object.entries(fields).map(([field, [from, to]], at): HistoryEntry => ({
    id: 100 - at,
    at: "2026-11-28T11:00:00.000Z",
    actor: { kind: "user", id: ANN, name: "Ann", ...actor },
    request_id: "1",
    entity: "task",
    entity_id: "t1",
    action: "changed",
    field,
    from,
    to,
  }));
}

test.each<[string, HistoryEntry[], string | null]>([
  [
    "a claim",
    act({ status: ["pending", "in_progress"], assignee_user_id: [null, ANN], claimed_with: [null, BEN] }),
    "claimed the task “Collect the zones”",
  ],
  [
    "a claim that ended",
    act({ status: ["in_progress", "pending"], assignee_user_id: [ANN, null] }, { kind: "job" }),
    "ended the claim of the task “Collect the zones”",
  ],
  [
    "a claim that was given up",
    act({ status: ["in_progress", "pending"], assignee_user_id: [ANN, null] }),
    "put back the task “Collect the zones”",
  ],
  ["a task taken over", act({ assignee_user_id: [BEN, ANN] }), "took over the task “Collect the zones”"],
  [
    "a task given to another",
    act({ assignee_user_id: [null, BEN] }),
    "gave the task “Collect the zones” to Ben",
  ],
  [
    "a task that waits",
    act({ status: ["in_progress", "blocked"], blocking_reason: [null, "No access"] }),
    "blocked the task “Collect the zones”: “No access”",
  ],
  [
    "a finished one",
    act({ status: ["in_progress", "done"], actual_minutes: [null, 3] }),
    "finished the task “Collect the zones”",
  ],
  [
    "another title",
    act({ title: ["Zones", "Collect the zones"], status: ["pending", "done"] }),
    "finished the task “Collect the zones”, changed the title of the task “Collect the zones” from “Zones” to “Collect the zones”",
  ],
  ["nothing for people", act({ claimed_with: [null, BEN], assignee_session_id: [null, "x"] }), null],
])("history says %s in one sentence", (_, entries, sentence) => {
  const changes = changesOf(entries);
  expect(changes.map((change) => sentenceOf(change, { thing: "Collect the zones", person: "Ben" }))).toEqual([
    sentence,
  ]);
});

test.each([
  ["link", "created", { kind: "blocked_by", ref: "HO-7" }, "said that it waits for HO-7"],
  ["link", "deleted", { kind: "blocks", ref: "HO-7" }, "said that it no longer blocks HO-7"],
  ["link", "created", { kind: "relates" }, "related it to a ticket of another project"],
  ["duplicate", "created", { ref: "HO-2" }, "called it a duplicate of HO-2"],
  ["duplicate", "deleted", {}, "no longer calls it a duplicate of a ticket of another project"],
  ["ticket", "unblocked", null, "ended its last blocker"],
  ["ticket", "placed", { before: "HO-2" }, "put it before HO-2"],
  ["ticket", "placed", { after: "HO-2" }, "put it after HO-2"],
  [
    "ticket",
    "moved_while_blocked",
    { blockers: [{ ticket_ref: "HO-1" }, { ticket_ref: "HO-2" }] },
    "started it while it waits for HO-1, HO-2",
  ],
  [
    "ticket",
    "moved_while_blocked",
    { blockers: [] },
    "started it while it waits for a ticket of another project",
  ],
  [
    "ticket",
    "open_children_skipped",
    { children: Array.from({ length: 12 }, (_, at) => ({ ticket_ref: `HO-${at + 1}` })) },
    "closed it before its children HO-1, HO-2, HO-3, HO-4, HO-5, HO-6, HO-7, HO-8, HO-9, HO-10 and 2 more",
  ],
])("history tells of a %s that is %s", (entity, action, details, sentence) => {
  const [entry] = act({ status: ["open", "done"] });
  const [from, to] = action === "deleted" ? [details, null] : [null, details];
  const [change] = changesOf([{ ...entry!, entity, action, field: null, from, to }]);
  expect(sentenceOf(change!, { thing: undefined, person: undefined })).toBe(sentence);
});

test.each<[Parameters<typeof act>[0], string]>([
  [{ assignee_user_id: [null, BEN] }, "gave it to Ben"],
  [{ assignee_user_id: [BEN, ANN] }, "took it"],
  [
    { assignee_user_id: [ANN, null], stage: ["backlog", "live"] },
    "moved it from Backlog to Live, took it from its assignee",
  ],
  [{ labels: [["ui"], ["ui", "needs design"]] }, "added the label “needs design”"],
  [{ labels: [["ui", "api"], null] }, "removed the labels “ui”, “api”"],
  [{ labels: [["ui"], ["api"]] }, "added the label “api”, removed the label “ui”"],
  [
    { due_on: [null, "2030-01-02"], estimate: [3, 5] },
    "set the due day to Jan 2, 2030, changed the estimate from 3 to 5",
  ],
])("history tells of the plan of a ticket %o", (fields, sentence) => {
  const [change] = changesOf(act(fields).map((entry) => ({ ...entry, entity: "ticket" })));
  expect(sentenceOf(change!, { thing: undefined, person: "Ben" })).toBe(sentence);
});

test("a new order of tasks is told once, and the order after a deletion not at all", () => {
  const moved = ["t1", "t2", "t3"].flatMap((entity_id, at) =>
    act({ sequence: [at, at + 1] }).map((entry) => ({ ...entry, entity_id, id: 300 - at }))
  );
  const named = { thing: undefined, person: undefined };
  expect(changesOf(moved).map((change) => sentenceOf(change, named))).toEqual([
    "changed the order of the tasks",
  ]);
  const deleted = {
    ...moved[0]!,
    id: 400,
    entity_id: "t0",
    action: "deleted",
    field: null,
    from: { title: "Gone" },
  };
  expect(changesOf([deleted, ...moved]).map((change) => sentenceOf(change, { ...named, thing: "Gone" })))
    .toEqual(["deleted the task “Gone”"]);
});

test("a label of any colour can be read, light and dark", () => {
  const steps = ["00", "33", "66", "99", "cc", "ff"];
  const colors = steps.flatMap((red) =>
    steps.flatMap((green) => steps.map((blue) => `#${red}${green}${blue}`))
  );
  expect(colors.length).toBe(216);
  for (const color of [...colors, "#b3261e", "#f9d71c", "#6b7280"]) {
    const { light, dark } = inksOf(color);
    for (const { ground, text } of [light, dark]) {
      expect(contrastOf(ground, text), `${color}: ${text} on ${ground}`).toBeGreaterThanOrEqual(4.5);
    }
    // The ground stays light in the light theme, and dark in the dark one.
    expect(contrastOf(light.ground, "#000000")).toBeGreaterThan(12);
    expect(contrastOf(dark.ground, "#ffffff")).toBeGreaterThan(5);
  }
  expect(contrastOf("#000000", "#ffffff")).toBe(21);
});

test("today is the day in the project's time zone, and work is late from the day after it is due", () => {
  const now = Date.parse("2026-12-31T22:30:00Z");
  expect(todayIn("Europe/Berlin", now)).toBe("2026-12-31");
  expect(todayIn("Asia/Tokyo", now)).toBe("2027-01-01");
  expect(todayIn("America/Los_Angeles", now)).toBe("2026-12-31");
  // A browser may not know a zone that the service knows.
  expect(todayIn("Mars/Olympus", now)).toBe("2026-12-31");
  expect(addDays("2026-12-31", 1)).toBe("2027-01-01");
  expect(addDays("2028-02-28", 1)).toBe("2028-02-29");
  const urgencies = ["2026-12-30", "2026-12-31", "2027-01-02", "2027-01-03"].map((due) =>
    urgencyOf(due, "2026-12-31")
  );
  expect(urgencies).toEqual(["late", "soon", "soon", "later"]);
});
