import { Socket } from "node:net";
import { beforeAll, describe, expect, test, vi } from "vitest";
import type { Row } from "postgres";
import type { Sql, TransactionSql } from "../../db/open.ts";
import { unprepared } from "../../db/postgres_js/unprepared.ts";
import { listAudit } from "../../src/admin/list_audit.ts";
import { ListAudit } from "../../src/admin/schema.ts";
import type { ActorContext, ProjectContext } from "../../src/core/context.ts";
import { listProjectTasks } from "../../src/tasks/list_project_tasks.ts";
import { ListProjectTasks } from "../../src/tasks/schema.ts";
import { countTickets } from "../../src/tickets/count.ts";
import { listTickets } from "../../src/tickets/list.ts";
import { CountTickets, ListTickets } from "../../src/tickets/schema.ts";
import { makeProject, type TestProject } from "../factories.ts";
import { useHarness } from "../harness.ts";
import { openFresh } from "./_fresh.ts";

const harness = useHarness();
let project: TestProject;
beforeAll(async () => {
  project = await makeProject(harness.now);
});

/**
 * The number of statements on the table that the connection has prepared since `work` and keeps.
 */
async function kept(
  table: string,
  work: (ctx: ProjectContext & ActorContext) => Promise<unknown>,
): Promise<number> {
  return await harness.now.sql.begin(async (tx: TransactionSql) => {
    const count = async () => {
      const [row] = await tx<[{ n: number }]>`
        select count(*) as n from pg_prepared_statements
        where statement like ${`%from ${table}%`} and statement not like '%pg_prepared%'`;
      return row.n;
    };
    const before = await count();
    await work(
      {
        ...harness.now.services,
        db: tx,
        actor: { user: { id: project.admin.id, role: "super_admin" }, credential: { type: "session" } },
        pageBytes: 2 ** 21,
        project: { id: project.id, key: project.key, keys: [project.key], disabled_roles: [] },
      } as unknown as ProjectContext & ActorContext,
    );
    return await count() - before;
  });
}

test("a list with two choices is kept prepared, with more or with a search it is not", async () => {
  const tickets = (input: object) =>
    kept("tickets t", (ctx) => listTickets(ctx, ListTickets.parse({ id: project.id, ...input })));
  expect(await tickets({ stage: "backlog", priority: "low" })).toBe(1);
  expect(await tickets({ stage: "backlog", limit: 20 })).toBe(1);
  expect(await tickets({ stage: "backlog", priority: "low", sort: "priority" })).toBe(0);
  expect(await tickets({ stage: "backlog", priority: "low", limit: 20 })).toBe(0);
  expect(await tickets({ q: "word" })).toBe(0);
  const counts = (input: object) =>
    kept("tickets t", (ctx) => countTickets(ctx, CountTickets.parse({ id: project.id, ...input })));
  expect(await counts({ role: "qa", blocking: "true" })).toBe(1);
  expect(await counts({ role: "qa", blocking: "true", ship: "merged" })).toBe(0);
  expect(await counts({ q: "word" })).toBe(0);
  const tasks = (input: object) =>
    kept("tasks t", (ctx) => listProjectTasks(ctx, ListProjectTasks.parse({ id: project.id, ...input })));
  expect(await tasks({ role: "qa", status: "done" })).toBe(1);
  expect(await tasks({ role: "qa", status: "done", ready: "false" })).toBe(0);
  const audit = (input: object) => kept("audit_log", (ctx) => listAudit(ctx, ListAudit.parse(input)));
  expect(await audit({})).toBe(1);
  expect(await audit({ action: "rare" })).toBe(0);
});

test("pages of any length share a few statements", async () => {
  const kinds = await kept("tickets t", async (ctx) => {
    for (let limit = 1; limit <= 200; limit++) {
      await listTickets(ctx, ListTickets.parse({ id: project.id, limit }));
    }
  });
  expect(kinds).toBe(8);
});

describe("an unprepared statement", () => {
  /** The rows, and what the client wrote to the database at first. */
  const sent = async (read: (sql: Sql) => Promise<Row[]>) => {
    const write = vi.spyOn(Socket.prototype, "write");
    try {
      const rows = await unprepared(read(harness.now.sql));
      return {
        rows: [...rows],
        first: write.mock.calls.map(String).find((bytes) => bytes.includes("as noted")),
      };
    } finally {
      write.mockRestore();
    }
  };

  test("goes to the database together with its values", async () => {
    const { rows, first } = await sent((sql) =>
      sql`select ${"it's"}::text as noted, ${7}::int as b, ${true}::boolean as c, ${0.5}::float8 as d, ${null}::uuid as e`
    );
    expect(rows).toEqual([{ noted: "it's", b: 7, c: true, d: 0.5, e: null }]);
    expect(first).toContain("it's");
  });

  test("waits for the types of its arrays", async () => {
    const { rows, first } = await sent((sql) => sql`select ${"it's"}::text as noted, ${[1, 2]}::int[] as b`);
    expect(rows).toEqual([{ noted: "it's", b: [1, 2] }]);
    expect(first).not.toContain("it's");
  });

  test("has its connection to itself", async () => {
    const write = vi.spyOn(Socket.prototype, "write");
    const isSent = () => write.mock.calls.some(([bytes]) => String(bytes).includes("as noted"));
    const { sql, close } = await openFresh({ poolSize: 1 });
    try {
      await sql`select 1`;
      const wasSent = unprepared(sql`select pg_sleep(0.2), ${"slow"}::text`).then(isSent);
      const next = await sql`select 1 as noted`;
      expect([await wasSent, isSent(), next]).toEqual([false, true, [{ noted: 1 }]]);
    } finally {
      write.mockRestore();
      await close();
    }
  });

  test("leaves its connection usable when the database refuses it", async () => {
    const numberOf = (text: string) => unprepared(harness.now.sql`select ${text}::text::int as n`);
    await expect(numberOf("seven")).rejects.toThrow("invalid input syntax");
    expect(await numberOf("7")).toEqual([{ n: 7 }]);
  });
});
