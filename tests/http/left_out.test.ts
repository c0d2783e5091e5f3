import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PAGE_BYTES } from "../../src/core/answer_budget.ts";
import { leaveOut } from "../../src/core/long_texts.ts";
import { makeTicket, useProject } from "../factories.ts";
import { useHarness } from "../harness.ts";

const harness = useHarness();
const project = useProject(harness);

test("the longest texts are left out, as few as must be, so that the others fit", () => {
  const sizes = fc.array(fc.nat(100), { maxLength: 30 }).map((all) =>
    all.map((bytes, place) => ({ id: String(place), name: "body", bytes }))
  );
  const sum = (texts: { bytes: number }[]) => texts.reduce((total, { bytes }) => total + bytes, 0);
  fc.assert(fc.property(sizes, fc.nat(1_000), (texts, most) => {
    const left = leaveOut(texts, most);
    const kept = texts.filter((text) => !left.includes(text));
    expect(sum(kept)).toBeLessThanOrEqual(most);
    for (const { bytes } of left) {
      expect(bytes).toBeGreaterThanOrEqual(Math.max(0, ...kept.map((text) => text.bytes)));
    }
    const shortest = left.toSorted((a, b) => a.bytes - b.bytes)[0];
    if (shortest) expect(sum(kept) + shortest.bytes).toBeGreaterThan(most);
  }));
});

/** 10 of them have 15 kB of text and the others 4.35 kB, together some kB more than 2 MiB. */
const ROWS = 500;

const LISTS = [
  {
    path: "tasks",
    list: "tasks",
    table: "tasks",
    text: "body",
    blank: null,
    columns: "sequence, number, title, role, body",
    rows: "n, n, 'Look', 'qa'",
  },
  {
    path: "test-cases",
    list: "cases",
    table: "test_cases",
    text: "instruction",
    blank: "",
    columns: "title, instruction",
    rows: "'Look'",
  },
] as const;

describe.each(LISTS)("a whole list of $list", ({ path, list, table, text, blank, columns, rows }) => {
  test("that is too long names what it leaves out", async () => {
    const ticket = await makeTicket(harness.now, project);
    await harness.now.sql.begin(async (sql) => {
      await sql`set local session_replication_role = replica`;
      await sql`
        insert into ${sql(table)} (id, ticket_id, project_id, ${sql.unsafe(columns)})
        select gen_random_uuid(), ${ticket.id}::uuid, ${project.id}::uuid, ${sql.unsafe(rows)},
          repeat('€', case when n <= 10 then 5000 else 1450 end)
        from generate_series(1, ${ROWS}) n`;
    });
    const { body } = await harness.now.call("GET", `${ticket.path}/${path}`, { token: project.admin.token });
    const all: Record<string, unknown>[] = body[list];
    expect(all).toHaveLength(ROWS);
    const left = all.filter(({ left_out }) => left_out !== undefined);
    expect(left.map((row) => [row.left_out, row[text]])).toEqual(left.map(() => [[text], blank]));
    const bytesOf = (row: Record<string, unknown>) => new TextEncoder().encode(String(row[text])).length;
    const whole = all.filter(({ left_out }) => left_out === undefined);
    expect(whole.reduce((sum, row) => sum + bytesOf(row), 0)).toBeLessThanOrEqual(PAGE_BYTES);
    expect(Math.max(...whole.map(bytesOf))).toBe(3 * 1450);
    expect(left.length).toBeGreaterThanOrEqual(10);
  });
});
