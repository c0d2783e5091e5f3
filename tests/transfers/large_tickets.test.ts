import { expect, test } from "vitest";
import { MAX_TASKS } from "../../src/tasks/schema.ts";
import { useProject } from "../factories.ts";
import { useHarness } from "../harness.ts";
import { makeLargestRows } from "../largest_rows.ts";
import { strainOf } from "../observe_process.ts";

const harness = useHarness();
const project = useProject(harness);

const PAGE_BYTES = 16 * 1024 * 1024;
const MOST_GROWN = 600 * 1024 * 1024;

interface Page {
  records: { id: string; parts_follow?: boolean; tasks: unknown[] }[];
  parts?: { ticket_id: string; [list: string]: unknown }[];
  next_cursor: string | null;
}

test("a ticket with the largest lists is exported in pages, and nothing of it is lost", async () => {
  const { params } = await makeLargestRows(harness.now, project);
  const found = new Map<string, Set<string>>();
  const sizes: number[] = [];
  const { grownBytes } = await strainOf(async () => {
    let cursor: string | null = "";
    while (cursor !== null) {
      const path: string = `/api${project.path}/export${cursor && `?cursor=${cursor}`}`;
      const response = await harness.now.request("GET", path, { token: project.admin.token });
      expect(response.status).toBe(200);
      const text = await response.text();
      sizes.push(text.length);
      const { records, parts, next_cursor }: Page = JSON.parse(text);
      for (const { id, parts_follow } of records) {
        if (id === params["ticketId"]) expect(parts_follow).toBe(true);
      }
      for (const { ticket_id, type: _, ...lists } of parts ?? []) {
        expect(ticket_id).toBe(params["ticketId"]);
        for (const [name, items] of Object.entries(lists)) {
          const ids = found.get(name) ?? new Set();
          for (const { id } of items as { id: string }[]) ids.add(String(id));
          found.set(name, ids);
        }
      }
      cursor = next_cursor;
    }
  });
  expect(Math.max(...sizes)).toBeLessThan(PAGE_BYTES);
  expect(grownBytes).toBeLessThan(MOST_GROWN);
  const [{ history }] = await harness.now.sql<[{ history: number }]>`
    select count(*) as history from history_entries where ticket_id = ${params["ticketId"]!}::uuid`;
  const counts = Object.fromEntries([...found].map(([name, ids]) => [name, ids.size]));
  expect(counts).toEqual({ tasks: MAX_TASKS, test_cases: 500, comments: 201, questions: 201, history });
  const [audit] = await harness.now.sql`
    select count(*) as exports from audit_log where action = 'project.exported' and target_id = ${project.id}`;
  expect(audit).toEqual({ exports: 1 });
});
