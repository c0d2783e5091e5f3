import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isDeadlock, isTimeout, isUnavailable, isUniqueViolation } from "../../db/errors.ts";
import { openDatabase } from "../../db/open.ts";
import { inTransaction } from "../../db/transaction.ts";
import { serverUrl } from "../database.ts";
import { clients, openFresh } from "./_fresh.ts";

let database: Awaited<ReturnType<typeof openFresh>>;
beforeAll(async () => {
  database = await openFresh();
  await database.sql`create table names (name text constraint names_once unique, big bigint, at timestamptz)`;
});
afterAll(() => database.close());

async function failure(work: PromiseLike<unknown>): Promise<unknown> {
  return await Promise.resolve(work).then(() => undefined, (error: unknown) => error);
}

describe("a transaction", () => {
  test("takes in nested work and rolls all of it back", async () => {
    const error = await failure(inTransaction(database.sql, async (tx) => {
      await tx`insert into names (name) values ('outer')`;
      await inTransaction(tx, (inner) => inner`insert into names (name) values ('inner')`);
      throw new Error("stop");
    }));
    expect(error).toEqual(new Error("stop"));
    expect(await database.sql`select name from names`).toEqual([]);
  });

  test("refuses a second one on the client instead of waiting for itself", async () => {
    const nested = inTransaction(database.sql, () => inTransaction(database.sql, (tx) => tx`select 1`));
    await expect(nested).rejects.toThrow("pass its handle");
    await clients(4, () => inTransaction(database.sql, (tx) => tx`select 1`));
  });
});

describe("the client", () => {
  test("answers int8 as a number, times in the form of the wire", async () => {
    const [row] = await database.sql`
      select ${9007199254740991}::int8 as big, timestamptz '2026-01-02 03:04:05.678+00' as at
    `;
    expect(row).toEqual({ big: 9007199254740991, at: "2026-01-02T03:04:05.678Z" });
  });

  test("names broken unique constraints", async () => {
    await database.sql`insert into names (name) values ('twice')`;
    const error = await failure(database.sql`insert into names (name) values ('twice')`);
    expect(isUniqueViolation(error, "names_once")).toBe(true);
    expect(isUniqueViolation(error, "another")).toBe(false);
    expect([isUnavailable(error), isTimeout(error), isDeadlock(error)]).toEqual([false, false, false]);
  });

  test("tells a server that is not there", async () => {
    const away = await openDatabase({
      url: "postgres://postgres@127.0.0.1:1/none",
      dataDir: database.dataDir,
    });
    expect(isUnavailable(await failure(away.sql`select 1`))).toBe(true);
    await away.close();
    expect(isUnavailable(await failure(away.sql`select 1`))).toBe(true);
  });

  test.each([
    ["query_canceled", [false, true, false]],
    ["lock_not_available", [false, true, false]],
    ["deadlock_detected", [false, false, true]],
    ["serialization_failure", [false, false, true]],
    ["too_many_connections", [true, false, false]],
    ["disk_full", [true, false, false]],
    ["division_by_zero", [false, false, false]],
  ])("tells by the database's word what a statement died of: %s", async (condition, expected) => {
    const error = await failure(database.sql.unsafe(
      `do $$ begin raise exception 'no' using errcode = '${condition}'; end $$`,
    ));
    expect([isUnavailable(error), isTimeout(error), isDeadlock(error)]).toEqual(expected);
  });

  // The embedded engine has no timers, so a statement there only ends by itself.
  if (serverUrl) test("cancels long statements and gives up on locks", longStatements);
});

async function longStatements(): Promise<void> {
  const cancelled = await failure(inTransaction(database.sql, async (tx) => {
    await tx`select set_config('statement_timeout', '50', true)`;
    await tx`select pg_sleep(2)`;
  }));
  expect(isTimeout(cancelled)).toBe(true);
  const settings = await database.sql`
    select name, setting from pg_settings
    where name in ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout') order by name
  `;
  expect(settings.map((row) => row.setting)).toEqual(["30000", "5000", "15000"]);
}
