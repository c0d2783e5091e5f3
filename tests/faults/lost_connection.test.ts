import { afterEach, beforeEach, describe, expect, inject, test } from "vitest";
import { isUnavailable } from "../../db/errors.ts";
import { type Database, openDatabase } from "../../db/open.ts";
import { HealthCheck } from "../../db/health_check.ts";
import { inTransaction, savepoint } from "../../db/transaction.ts";
import { copyTemplate, dropPlace, emptyPlace, type Place, serverUrl } from "../database.ts";
import { startTcpProxy, targetOf, type TcpProxy, throughProxy } from "../tcp_proxy.ts";
import { until } from "../until.ts";

describe("a statement that fails as unavailable", () => {
  test("on a connection that is well is rolled back, and the connection is used again", async () => {
    const place = await copyTemplate(inject("template"));
    const database = await openDatabase({ ...place, poolSize: 1 });
    const failure = await inTransaction(database.sql, async (tx) => {
      await tx`create table half (n integer)`;
      await tx.unsafe("do $$ begin raise exception 'no space left' using errcode = 'disk_full'; end $$");
    }).catch((error: unknown) => error);
    expect(isUnavailable(failure)).toBe(true);
    expect(await database.sql`select to_regclass('half') as found`).toEqual([{ found: null }]);
    await database.close();
    await dropPlace(place);
  });
});

// The embedded database's only connection ends with its process: tests/db/pglite.test.ts.
if (serverUrl) describe("a connection that is lost", onAServer);

function onAServer(): void {
  let place: Place;
  let proxy: TcpProxy;
  let database: Database;

  beforeEach(async () => {
    place = await emptyPlace("lost");
    proxy = startTcpProxy(targetOf(place.url!));
    // There is only one connection, so the next transaction gets the one that was lost.
    database = await openDatabase({
      url: throughProxy(place.url!, proxy),
      dataDir: place.dataDir,
      poolSize: 1,
    });
    await database.sql`create table kept (n integer)`;
  });
  afterEach(async () => {
    proxy.close();
    await database.close();
    await dropPlace(place);
  });

  async function rows(): Promise<number[]> {
    return (await database.sql<{ n: number }[]>`select n from kept order by n`).map(({ n }) => n);
  }

  test("while its transaction waits for something else takes nothing of the next transaction along", async () => {
    const { sql } = database;
    const [inside, cut, gone] = [
      Promise.withResolvers<void>(),
      Promise.withResolvers<void>(),
      Promise.withResolvers<unknown>(),
    ];
    const first = inTransaction(sql, async (tx) => {
      await tx`insert into kept values (1)`;
      inside.resolve();
      await cut.promise;
      gone.resolve(await tx`insert into kept values (2)`.catch((error: unknown) => error));
      throw new Error("the first one fails");
    }).catch((error: unknown) => error);
    await inside.promise;
    proxy.cut();
    expect(isUnavailable(await first)).toBe(true);
    await inTransaction(sql, async (tx) => {
      await tx`insert into kept values (10)`;
      cut.resolve();
      expect(String(await gone.promise)).toContain("its transaction is over");
      await tx`insert into kept values (11)`;
    });
    expect(await rows()).toEqual([10, 11]);
  });

  test("in the middle of a statement fails its transaction as unavailable, savepoints too, and the process lives", async () => {
    const { sql } = database;
    for (const nested of [false, true]) {
      const failure = await inTransaction(sql, async (tx) => {
        await tx`insert into kept values (1)`;
        const sleeping = nested
          ? savepoint(tx, (inner) => inner`select pg_sleep(20)`)
          : tx`select pg_sleep(20)`;
        const ended = sleeping.then(() => {});
        setTimeout(() => proxy.cut(), 50);
        await ended;
      }).catch((error: unknown) => error);
      expect(isUnavailable(failure)).toBe(true);
      expect(await rows()).toEqual([]);
    }
  });

  test("to a host that swallows every packet is noticed, what waits for it fails, and it comes back by itself", async () => {
    const { sql, databaseHealth } = database;
    let losses = 0;
    databaseHealth.onLoss(() => losses++);
    proxy.hold();
    const waiting = await Promise.allSettled([
      sql`select 1`,
      sql`select 2`,
      inTransaction(sql, (tx) => tx`insert into kept values (1)`),
    ]);
    expect(waiting.map((result) => result.status === "rejected" && isUnavailable(result.reason))).toEqual([
      true,
      true,
      true,
    ]);
    expect([databaseHealth.lost, losses > 0]).toEqual([true, true]);
    proxy.release();
    await until(() => !databaseHealth.lost);
    expect(await rows()).toEqual([]);
  });
}

test("a connection that is lost alone is not taken for the loss of the database", async () => {
  const closed = Object.assign(new Error("write CONNECTION_CLOSED"), { code: "CONNECTION_CLOSED" });
  let [pings, losses] = [0, 0];
  const databaseHealth = new HealthCheck({
    ping: () => ++pings % 2 ? Promise.reject(closed) : Promise.resolve(),
    drop() {},
  });
  databaseHealth.onLoss(() => losses++);
  await until(() => pings > 5);
  databaseHealth.stop();
  expect([databaseHealth.lost, losses]).toEqual([false, 0]);
});

test("what has connected since a loss was last told is dropped when the database is back", async () => {
  let [away, losses, toldWhileAway] = [true, 0, 0];
  const ping = () => {
    if (away) return Promise.reject(Object.assign(new Error("no writes are taken"), { code: "25006" }));
    toldWhileAway ||= losses;
    return Promise.resolve();
  };
  const databaseHealth = new HealthCheck({ ping, drop() {} });
  databaseHealth.onLoss(() => losses++);
  await until(() => databaseHealth.lost);
  away = false;
  await until(() => !databaseHealth.lost);
  databaseHealth.stop();
  expect(losses).toBe(toldWhileAway + 1);
});

test("a server that has no connection left is not taken for lost", async () => {
  const refused = Object.assign(new Error("sorry, too many clients already"), { code: "53300" });
  let pings = 0;
  const ping = () => {
    pings++;
    return Promise.reject(refused);
  };
  const databaseHealth = new HealthCheck({ ping, drop() {} });
  await until(() => pings > 3);
  databaseHealth.stop();
  expect(databaseHealth.lost).toBe(false);
});
