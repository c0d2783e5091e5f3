import { expect, test } from "vitest";
import { dumpSchema } from "../../db/dump_schema.ts";
import { readMigrations } from "../../db/migrate.ts";
import type { Sql, TransactionSql } from "../../db/open.ts";
import { makeProject, makeTicket } from "../factories.ts";
import { useHarness } from "../harness.ts";

const harness = useHarness();

test("no migration is edited: databases have applied it, and refuse another", async () => {
  const listed = await Deno.readTextFile(new URL("../../db/migrations/SHA256SUMS", import.meta.url));
  const migrations = await readMigrations();
  expect(migrations.map(({ name, checksum }) => `${checksum}  ${name}.sql\n`).join("")).toBe(listed);
});

test("db/schema.sql is what the migrations result in", async () => {
  const written = await Deno.readTextFile(new URL("../../db/schema.sql", import.meta.url));
  expect(await dumpSchema(harness.now.sql)).toBe(written);
});

test("a table that gets a column is tracked again", async () => {
  const { sql } = harness.now;
  const project = await makeProject(harness.now);
  const ticket = await makeTicket(harness.now, project);
  await sql.begin(async (tx) => {
    await tx`alter table tickets add column size integer`;
    await tx`
      call track_history('tickets', 'ticket', 'id', 'id project_id priority_rank ship_state reopened version created_at updated_at')`;
    await tx`select set_config('handoff.actor', '{"kind":"job","id":"test"}', true)`;
    await tx`update tickets set size = 5 where id = ${ticket.id}::uuid`;
    const [last] =
      await tx`select changes from history where ticket_id = ${ticket.id}::uuid order by id desc limit 1`;
    expect(last).toEqual({ changes: { size: [null, 5] } });
    await tx`select 1 / 0`;
  }).catch(({ code }) => expect(code).toBe("22012")); // nothing of this is stored
});

test("db/schema.sql can be read: no line is longer than 200 characters", async () => {
  const written = await Deno.readTextFile(new URL("../../db/schema.sql", import.meta.url));
  expect(written.split("\n").filter((line) => line.length > 200)).toEqual([]);
});

test("rules are in TypeScript: few functions and triggers are written by hand", async () => {
  const written = await Deno.readTextFile(new URL("../../db/schema.sql", import.meta.url));
  const advice = "a rule belongs into a verb. SQL keeps history, numbers, counts and the words of the search";
  const functions = written.split(/^(?=CREATE OR REPLACE FUNCTION )/m).slice(1);
  // A function of its arguments alone, such as one that finds the words of a text, can hold no rule.
  const ofTables = functions.filter((text) => !/^ IMMUTABLE\b/m.test(text));
  expect(ofTables.length, advice).toBeLessThanOrEqual(23);
  expect(written.match(/^CREATE TRIGGER /gm)!.length, advice).toBeLessThanOrEqual(14);
});

test("history knows every column: each table's call of track_history makes the function that is there", async () => {
  const { sql } = harness.now;
  const definitions = (from: Sql | TransactionSql) =>
    from<{ definition: string; call: string }[]>`
      select pg_get_functiondef(oid) as definition, obj_description(oid, 'pg_proc') as call from pg_proc
      where proname like 'record\_history\_of\_%' order by proname`;
  const before = await definitions(sql);
  expect(before.length).toBeGreaterThan(7);
  await sql.begin(async (tx) => {
    for (const { call } of before) await tx.unsafe(call);
    expect(await definitions(tx)).toEqual(before);
  });
});
