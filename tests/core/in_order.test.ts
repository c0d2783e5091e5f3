import { expect, test } from "vitest";
import type { Db } from "../../db/open.ts";
import { inTransaction } from "../../db/transaction.ts";
import { inOrder } from "../../src/core/in_order.ts";
import { useHarness } from "../harness.ts";

const harness = useHarness();

/** A call as verbs make them: an async function that sends its query first. */
async function call(db: Db, name: string): Promise<string> {
  const [row] = await db<[{ name: string }]>`select ${name}::text as name`;
  return row.name;
}

function query(db: Db, name: string) {
  return db<[{ name: string }]>`select ${name}::text as name`;
}

/** The order in which a transaction's statements began, by the server's own clock. */
async function orderOf(send: (db: Db) => Promise<unknown>): Promise<string[]> {
  const { sql } = harness.now;
  await sql`create table if not exists sent (place bigint generated always as identity, name text)`;
  await sql`truncate sent restart identity`;
  await inTransaction(sql, send);
  const rows = await sql<{ name: string }[]>`select name from sent order by place`;
  return rows.map(({ name }) => name);
}

const insert = (db: Db, name: string) => db`insert into sent (name) values (${name})`;
const insertCall = async (db: Db, name: string) => {
  await insert(db, name);
};

test("answers every statement in its place", async () => {
  const answers = await inTransaction(
    harness.now.sql,
    (db) => inOrder(query(db, "a"), call(db, "b"), query(db, "c"), "no statement"),
  );
  expect([answers[0][0].name, answers[1], answers[2][0].name, answers[3]]).toEqual([
    "a",
    "b",
    "c",
    "no statement",
  ]);
});

test("sends calls and queries in the order in which they are named", async () => {
  const inEachForm = [
    (db: Db) => inOrder(insert(db, "1"), insert(db, "2"), insert(db, "3")),
    (db: Db) => inOrder(insertCall(db, "1"), insertCall(db, "2"), insertCall(db, "3")),
    (db: Db) => inOrder(insertCall(db, "1"), insert(db, "2"), insert(db, "3")),
    (db: Db) => inOrder(insert(db, "1"), insertCall(db, "2"), insert(db, "3")),
    (db: Db) => inOrder(insert(db, "1"), insert(db, "2"), insertCall(db, "3")),
  ];
  for (const send of inEachForm) expect(await orderOf(send)).toEqual(["1", "2", "3"]);
});

test("refuses a query between two calls, which it could not send in its place", async () => {
  await expect(orderOf((db) => {
    const first = insertCall(db, "1").catch(() => {});
    const last = insertCall(db, "3").catch(() => {});
    return inOrder(first, insert(db, "2"), last);
  })).rejects.toThrow("between two calls");
});

test("fails as the first statement that fails", async () => {
  await expect(inTransaction(
    harness.now.sql,
    (db) => inOrder(insertCall(db, "1"), db`select 1 / 0`),
  )).rejects.toMatchObject({ code: "22012" });
});
