import { v7 as uuid } from "uuid";
import { beforeAll, describe, expect, test } from "vitest";
import { ImportInput } from "../../src/transfers/import_input.ts";
import { ImportTickets } from "../../src/transfers/schema.ts";
import { makeTicket, useProject } from "../factories.ts";
import { useHarness } from "../harness.ts";
import { strainOf } from "../observe_process.ts";

const harness = useHarness();
const project = useProject(harness);

// An exported record has any shape that a test gives it.
// deno-lint-ignore no-explicit-any
let record: any;
beforeAll(async () => {
  const { token } = project.admin;
  const ticket = await makeTicket(harness.now, project, { idempotency_key: "made", roles: ["qa"] });
  const add = (path: string, body: unknown) =>
    harness.now.call("POST", `${ticket.path}/${path}`, { token, body });
  await add("tasks", { title: "Look", role: "qa", idempotency_key: "task" });
  await add("test-cases", { title: "Look", instruction: "Look.", link: "https://a.example" });
  await add("comments", { body: "Look" });
  const { body } = await harness.now.call("GET", `${project.path}/export`, { token });
  record = body.records[0];
});

const id = uuid();
const ofTask = (fields: object) => [{ ...record, tasks: [{ ...record.tasks[0], ...fields }] }];

const INPUTS: Record<string, () => unknown> = {
  "a whole record": () => ({ id, records: [record] }),
  "times and emails in other forms": () => ({
    id,
    records: [{ ...record, created_at: "2026-01-02T03:04:05+02:00", created_by: "Ada@Example.test" }],
  }),
  "absent optional lists": () => ({
    id,
    records: [{ ...record, comments: undefined, part_creations: undefined }],
  }),
  "no record": () => ({ id, records: [] }),
  "101 records": () => ({ id, records: Array(101).fill(record) }),
  "no list": () => ({ id, records: "x" }),
  "no object": () => null,
  "an unknown field and a wrong id": () => ({ id: "x", records: [record], more: 1 }),
  "records that are none": () => ({ id, records: [null, 1, [], record] }),
  "wrong fields of a record": () => ({ id, records: [{ ...record, title: "x", stage: "y" }, record] }),
  "an unknown field of a record": () => ({ id, records: [{ ...record, more: 1 }] }),
  "wrong fields of tasks": () => ({ id, records: ofTask({ title: 1, more: 2, acceptance_criteria: [{}] }) }),
  "faults in a record and in its lists": () => ({
    id,
    records: [{ ...record, title: "x", tasks: [1], comments: [{}], questions: [null], part_creations: [[]] }],
  }),
  "lists that are none": () => ({ id, records: [{ ...record, tasks: {}, test_cases: null, comments: 1 }] }),
  "too many tasks": () => ({ id, records: [{ ...record, tasks: Array(501).fill(record.tasks[0]) }] }),
};

describe("an import is parsed in slices as it is whole", () => {
  test.each(Object.entries(INPUTS))("%s", async (_, make) => {
    const whole = ImportTickets.safeParse(make());
    const sliced: { data?: unknown; issues?: { path: PropertyKey[] }[] } = await Promise.resolve(
      ImportInput.parse(make()),
    ).then(
      (data) => ({ data }),
      ({ issues }) => ({ issues }),
    );
    const inOrder = (issues: { path: PropertyKey[] }[]) =>
      issues.map((issue) => JSON.stringify([issue.path, issue])).toSorted();
    if (whole.success) expect(sliced).toEqual({ data: whole.data });
    else expect(inOrder(sliced.issues ?? [])).toEqual(inOrder(whole.error.issues));
  });
});

test("the largest import lets other callers come between", async () => {
  const acceptance_criteria = Array.from({ length: 50 }, () => ({ text: "Look", done: false }));
  const tasks = Array.from({ length: 500 }, () => ({ ...record.tasks[0], id: uuid(), acceptance_criteria }));
  const input = { id, records: Array.from({ length: 6 }, () => ({ ...record, tasks })) };
  const whole = await strainOf(() => Promise.resolve(ImportTickets.parse(input)));
  const sliced = await strainOf(() => Promise.resolve(ImportInput.parse(input)));
  expect(sliced.result).toEqual(whole.result);
  expect(sliced.silentMs).toBeLessThan(whole.silentMs / 2);
});
