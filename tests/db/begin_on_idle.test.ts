import { afterAll, beforeAll, expect, test } from "vitest";
import { openDatabase } from "../../db/open.ts";
import { inTransaction } from "../../db/transaction.ts";
import { dropPlace, emptyPglite, emptyPlace, type Place, serverUrl } from "../database.ts";

let place: Place;
let database: Awaited<ReturnType<typeof openDatabase>>;
beforeAll(async () => {
  place = serverUrl ? await emptyPlace() : await emptyPglite();
  database = await openDatabase({ ...place, poolSize: 1 });
  await database.sql`create table marks (number integer, kind text)`;
});
afterAll(async () => {
  await database.close();
  await dropPlace(place);
});

const STOP = new Error("stop");

/** A transaction that is rolled back, between the statements of others. */
async function takenBack(number: number): Promise<void> {
  const begun = inTransaction(database.sql, async (tx) => {
    await tx`insert into marks values (${number}, 'taken back')`;
    throw STOP;
  });
  await expect(begun).rejects.toBe(STOP);
}

test("transactions behind any number of statements take nothing of these along", async () => {
  const { sql } = database;
  // The client's pipeline holds 100 statements. A transaction behind 100 statements would not get
  // the connection for itself.
  for (let statements = 95; statements < 105; statements++) {
    const sent: Promise<unknown>[] = [sql.unsafe("select pg_sleep(0.01)").execute()];
    for (let n = 0; n < statements; n++) {
      sent.push(sql.unsafe("insert into marks values (1, 'alone')").execute());
    }
    await null; // sent by a microtask
    sent.push(takenBack(statements));
    sent.push(inTransaction(sql, (tx) => tx`insert into marks values (${statements}, 'together')`));
    sent.push(sql.unsafe("insert into marks values (2, 'alone')").execute());
    await Promise.all(sent);
  }
  const kinds = await sql`select kind, count(*) as count from marks group by kind order by kind`;
  expect([...kinds]).toEqual([{ kind: "alone", count: 1005 }, { kind: "together", count: 10 }]);
  const [state] = await sql`select pg_current_xact_id_if_assigned() as open`;
  expect(state).toEqual({ open: null });
});

test("one that waits for its turn is not overtaken", async () => {
  const { sql } = database;
  const order: string[] = [];
  const note = (name: string) => () => void order.push(name);
  const before = sql`select pg_sleep(0.05)`.then(note("before"));
  await null;
  const transaction = inTransaction(sql, (tx) => tx`select 1`).then(note("transaction"));
  const after = sql`select 1`.then(note("after"));
  await Promise.all([before, transaction, after]);
  expect(order).toEqual(["before", "transaction", "after"]);
});
