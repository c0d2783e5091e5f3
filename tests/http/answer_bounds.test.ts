import { beforeAll, describe, expect, test } from "vitest";
import superjson from "superjson";
import { MAX_ANSWER_BYTES } from "../../src/core/answer_budget.ts";
import { type PublishedProcedure, publishedProcedures } from "../../src/http/procedures.ts";
import { useProject } from "../factories.ts";
import { useHarness } from "../harness.ts";
import { strainOf } from "../observe_process.ts";
import { type LargestRows, makeLargestRows, makeRowsAround, type RowsAround } from "../largest_rows.ts";

// The same limit holds for every procedure that reads. These tests include a new procedure without
// naming it here.
const harness = useHarness();
const project = useProject(harness);

/** The most calls that a batch may have. */
const CALLS = 20;
/** The calls of the report took 1.4 to 3.4 GB, and kept the process silent for 3 to 11 s. */
const BEARABLE = { grownBytes: 600 * 1024 * 1024, silentMs: 2_000 };
/** Bytes that tRPC writes around the answers of a batch. */
const FRAME = 64 * 1024;

/** Procedures that find nothing here. */
const WITHOUT_ROWS: Record<string, number> = {
  "billing.get": 503,
  "tasks.next": 404,
  "tickets.similar": 503,
};
/** Procedures whose largest answer is short. All others must find the largest rows. */
const SHORT = [
  "accounts.get",
  "auth.me",
  "inbox.count",
  "integrations.getAccount",
  "integrations.getIssue",
  "links.list",
  "news.list",
  "operations.queues",
  "operations.storage",
  "projects.candidates",
  "projects.get",
  "references.list",
  "references.referring",
  "settings.notifications",
  "settings.roles",
  "suggestions.analysis",
  "suggestions.duplicates",
  "tickets.count",
  "tickets.groups",
  "tickets.news",
  "users.get",
  "webhooks.get",
  "views.get",
];
const SHORT_BYTES = 20_000;

const readers = publishedProcedures().filter(({ type, meta }) =>
  type === "query" && meta.access !== "public"
);

let rows: LargestRows;
let around: RowsAround;
beforeAll(async () => {
  rows = await makeLargestRows(harness.now, project);
  around = await makeRowsAround(harness.now, project, rows);
  // With statistics of these rows, the planner chooses other plans.
  await harness.now.sql`analyze`;
});

/** The value of `{id}` in a path. */
function idOf(path: string): string {
  if (path.startsWith("/projects/")) return project.id;
  if (path.startsWith("/admin/scope-surveys/")) return rows.params["survey"]!;
  if (path.startsWith("/admin/deliveries/")) return around.delivery;
  return path === "/accounts/{id}" ? project.accountId : project.admin.id;
}

/** The input with which a procedure returns the most: no filters, and the longest page. */
function inputOf({ meta, input, pathFields }: PublishedProcedure): Record<string, unknown> {
  const { params } = rows;
  const id = idOf(meta.path);
  const runId = meta.path.startsWith("/integrations/") ? around.hookRun : params["runId"];
  const { webhookId, milestoneId, viewId } = around;
  const ids = { ...params, webhookId, milestoneId, viewId, runId, after: 0, by: "parent" };
  const texts = { title: "x".repeat(140), description: "x".repeat(5_000) };
  const unknown = Object.fromEntries(pathFields.map((field) => [field, project.admin.id]));
  const wide = { ...unknown, id, limit: 200, ...texts, status: undefined, ...ids };
  const fields = Object.entries(wide).filter(([name, value]) => name in input.shape && value !== undefined);
  const widest = Object.fromEntries(fields);
  if (!("limit" in widest)) return widest;
  const limit = [200, 100, 50, 20, 10, 5, 2].find((limit) => input.safeParse({ ...widest, limit }).success);
  return { ...widest, limit };
}

const requests = {
  REST(procedure: PublishedProcedure): [path: string, body?: unknown] {
    const { meta } = procedure;
    const input = inputOf(procedure);
    const path = meta.path.replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = input[name] ?? rows.params[name] ?? project.admin.id;
      delete input[name];
      return String(value);
    });
    if (meta.method !== "GET") return [`/api${path}`, input];
    return [`/api${path}?${new URLSearchParams(input as Record<string, string>)}`];
  },
  "a batch over tRPC"(procedure: PublishedProcedure): [path: string, body: unknown] {
    const input = superjson.serialize(inputOf(procedure));
    const names = Array.from({ length: CALLS }, () => procedure.name).join(",");
    return [
      `/trpc/${names}?batch=1`,
      Object.fromEntries(Array.from({ length: CALLS }, (_, at) => [at, input])),
    ];
  },
};

describe.each(Object.entries(requests))("the largest answer by %s", (_door, requestOf) => {
  test.each(readers.map((procedure) => [procedure.name, procedure] as const))(
    "%s",
    async (name, procedure) => {
      const [path, body] = requestOf(procedure);
      const { token } = rows.superAdmin;
      const { result, silentMs, grownBytes } = await strainOf(async () => {
        const method = body === undefined ? "GET" : "POST";
        const response = await harness.now.request(method, path, {
          token,
          ...(body !== undefined && { body }),
        });
        return { status: response.status, bytes: (await response.arrayBuffer()).byteLength };
      });
      // In a batch that exceeds the limit, some calls fail.
      const expected = WITHOUT_ROWS[name] ?? 200;
      expect(result.status === 207 ? 200 : result.status).toBe(expected);
      if (expected === 200 && !SHORT.includes(name)) expect(result.bytes).toBeGreaterThan(SHORT_BYTES);
      expect(result.bytes).toBeLessThanOrEqual(MAX_ANSWER_BYTES + FRAME);
      expect(silentMs).toBeLessThan(BEARABLE.silentMs);
      expect(grownBytes).toBeLessThan(BEARABLE.grownBytes);
    },
  );
});
