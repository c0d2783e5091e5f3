import type { PgBoss } from "pg-boss";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { inTransaction } from "../../db/transaction.ts";
import { bossExecutor, createBoss, RECOVERY, startBoss } from "../../db/queue.ts";
import { until } from "../until.ts";
import { clients, openFresh } from "./_fresh.ts";

const errors: unknown[] = [];
let database: Awaited<ReturnType<typeof openFresh>>;
let boss: PgBoss;
let other: PgBoss;

beforeAll(async () => {
  database = await openFresh();
  await database.sql`create table notes (text text)`;
  const options = {
    isPglite: database.isPglite,
    supervises: true,
    onError: (error: unknown) => errors.push(error),
  };
  boss = createBoss(database.sql, options);
  other = createBoss(database.sql, options);
  for (const one of [boss, other]) await one.start();
  await clients(2, (client) => (client ? boss : other).createQueue("greet", { ...RECOVERY, retryLimit: 1 }));
});
afterAll(async () => {
  await Promise.all([boss.stop(), other.stop()]);
  await database.close();
  expect(errors).toEqual([]);
});

function count(queue: string): Promise<number> {
  return database.sql<{ jobs: number }[]>`select count(*) as jobs from pgboss.job where name = ${queue}`
    .then(([row]) => row?.jobs ?? 0);
}

test("a schedule and queues that were looked at in the future are looked at again after a start", async () => {
  const { sql } = database;
  await sql`update pgboss.version set cron_on = now() + interval '1 hour'`;
  await sql`
    update pgboss.queue set monitor_claim_on = now() + interval '1 hour', monitor_on = now() + interval '1 hour',
      maintain_on = now() + interval '2 hours'`;
  await boss.createQueue("timed");
  await boss.send("timed", {}, { singletonKey: "occurrence", singletonSeconds: 60 });
  await sql`update pgboss.job set singleton_on = singleton_on + interval '1 hour' where name = 'timed'`;
  const third = createBoss(sql, { isPglite: database.isPglite, supervises: false, onError: () => {} });
  await startBoss(third, sql);
  await third.stop();
  const late = await sql`
    select from pgboss.version, pgboss.queue
    where cron_on > now() or monitor_claim_on > now() or monitor_on > now() or maintain_on > now()`;
  expect(late).toHaveLength(0);
  const [held] =
    await sql`select count(*) as jobs from pgboss.job where singleton_on > now() at time zone 'UTC'`;
  expect(held).toEqual({ jobs: 0 });
});

test("jobs that were put off, begun or failed in the future are run after a start", async () => {
  const { sql } = database;
  const settings = { ...RECOVERY, retryLimit: 1, retryDelay: 60 };
  const send = async (name: string) => {
    await boss.createQueue(name, settings);
    return await boss.send(name, {});
  };
  const waiting = await send("waiting");
  const failed = await send("failed");
  const begun = await send("begun");
  const silent = await send("silent");
  for (const name of ["failed", "begun", "silent"]) await boss.fetch(name);
  await boss.fail("failed", failed!);
  const delayed = await boss.send("waiting", {}, { startAfter: 3600 });
  await sql`update pgboss.version set cron_on = now() + interval '1 day'`;
  await sql`
    update pgboss.job set start_after = start_after + interval '1 day', started_on = started_on + interval '1 day',
      heartbeat_on = heartbeat_on + interval '1 day',
      created_on = case id when ${failed}::uuid then created_on else created_on + interval '1 day' end
    where id = any (${[waiting, failed, begun]}::uuid[])`;
  await sql`update pgboss.job set heartbeat_on = now() - interval '1 hour' where id = ${silent}::uuid`;
  const third = createBoss(sql, { isPglite: database.isPglite, supervises: false, onError: () => {} });
  await startBoss(third, sql);
  await third.stop();
  const due = await sql<{ id: string }[]>`
    select id from pgboss.job where state < 'active' and start_after <= now() and id = any (${[
    waiting,
    failed,
    delayed,
  ]}::uuid[])`;
  expect(new Set(due.map(({ id }) => id))).toEqual(new Set([waiting, failed]));
  const heartbeats = await sql`
    select heartbeat_on <= now() as noticed, heartbeat_on < now() - interval '59 minutes' as overdue
    from pgboss.job where state = 'active' and id in (${begun}::uuid, ${silent}::uuid) order by overdue`;
  expect(heartbeats).toEqual([{ noticed: true, overdue: false }, { noticed: true, overdue: true }]);
});

test("what every worker meets at each poll is reported once a minute, and what else fails all the same", () => {
  const reported: unknown[] = [];
  const { sql, isPglite } = database;
  const onError = (error: unknown) => reported.push(error);
  const away = (queue: string) =>
    new Error(`connect ECONNREFUSED 127.0.0.1:5432 (Queue: ${queue}, Worker: 1)`);
  const [first, second] = [away("prune"), away("end-leases")];
  const other = Object.assign(new Error("permission denied"), { code: "42501" });
  vi.useFakeTimers({ toFake: ["performance"] });
  try {
    const worker = createBoss(sql, { isPglite, supervises: false, onError });
    for (const error of [first, second, other]) worker.emit("error", error);
    expect(reported).toEqual([first, other]);
    vi.advanceTimersByTime(60_000);
    for (const error of [second, first]) worker.emit("error", error);
    expect(reported).toEqual([first, other, second]);
  } finally {
    vi.useRealTimers();
  }
});

describe("a job", () => {
  test("does not exist when its transaction is rolled back", async () => {
    const work = inTransaction(database.sql, async (tx) => {
      await tx`insert into notes (text) values ('lost')`;
      await boss.send("greet", { name: "nobody" }, { db: bossExecutor(tx) });
      throw new Error("rolled back");
    });
    await expect(work).rejects.toThrow("rolled back");
    expect(await count("greet")).toBe(0);
  });

  test("joins the running transaction when its handle was forgotten", async () => {
    const work = inTransaction(database.sql, async () => {
      await boss.send("greet", {});
      throw new Error("rolled back");
    });
    await expect(work).rejects.toThrow("rolled back");
    expect(await count("greet")).toBe(0);
  });

  test("is committed with its transaction and run with the data it was given", async () => {
    const data = { name: "Zoë \\ \"'", nested: { list: [1, null, true] } };
    await inTransaction(database.sql, async (tx) => {
      await tx`insert into notes (text) values ('kept')`;
      await boss.send("greet", data, { db: bossExecutor(tx), singletonKey: "once" });
    });
    const seen: unknown[] = [];
    const retried: unknown[] = [];
    await boss.createQueue("retry", { ...RECOVERY, retryLimit: 2, retryDelay: 1 });
    await boss.send("retry", { n: 1 });
    await boss.work("greet", { pollingIntervalSeconds: 0.5 }, async ([job]) => {
      await inTransaction(database.sql, (tx) => tx`insert into notes (text) values ('from the job')`);
      seen.push(job?.data);
      return { greeted: true };
    });
    await other.work("retry", { pollingIntervalSeconds: 0.5 }, ([job]) => {
      retried.push(job?.data);
      return retried.length < 2 ? Promise.reject(new Error("not yet")) : Promise.resolve();
    });
    const done = await until(async () => {
      const jobs = await database
        .sql`select output from pgboss.job where name = 'greet' and state = 'completed'`;
      return jobs.length > 0 && jobs;
    });
    expect(done).toEqual([{ output: { greeted: true } }]);
    expect(seen).toEqual([data]);
    await until(() => retried.length === 2);
  });

  test("is enqueued once by each of many transactions beside other work", async () => {
    await boss.createQueue("many");
    await clients(16, async (client) => {
      for (let n = 0; n < 10; n++) {
        await inTransaction(database.sql, async (tx) => {
          await tx`insert into notes (text) values (${`many ${client} ${n}`})`;
          await boss.send("many", { client, n }, { db: bossExecutor(tx) });
        });
        await other.send("many", { client, n });
      }
    });
    expect(await count("many")).toBe(320);
    const [row] = await database.sql`select count(*) as notes from notes where text like 'many %'`;
    expect(row).toEqual({ notes: 160 });
  });

  test("is scheduled with its data, and its queue can be changed", async () => {
    await boss.createQueue("nightly");
    await boss.schedule("nightly", "0 3 * * *", { list: ["a", { b: null }] }, { retryLimit: 5 });
    const [schedule] = await boss.getSchedules("nightly");
    expect(schedule).toMatchObject({
      cron: "0 3 * * *",
      data: { list: ["a", { b: null }] },
      options: { retryLimit: 5 },
    });
    await boss.updateQueue("nightly", { retryLimit: 7 });
    expect(await boss.getQueue("nightly")).toMatchObject({ retryLimit: 7 });
  });

  test("whose worker died goes back to its queue", async () => {
    await boss.createQueue("orphan", { ...RECOVERY, retryLimit: 1 });
    await boss.send("orphan", {});
    const [job] = await boss.fetch("orphan");
    await database.sql`
      update pgboss.job set heartbeat_on = now() - interval '31 seconds' where id = ${job?.id ?? ""}::uuid
    `;
    const again = await until(async () => (await boss.fetch("orphan"))[0]);
    expect(again?.id).toBe(job?.id);
  });
});

test("the queue's scripts and transactions that come with them keep to themselves", async () => {
  const script = "begin; insert into notes (text) values ('script'); commit;";
  for (let round = 0; round < 20; round++) {
    await Promise.all([
      inTransaction(database.sql, async (tx) => {
        await tx`insert into notes (text) values ('one')`;
        await tx`insert into notes (text) values ('two')`;
      }),
      bossExecutor(database.sql).executeSql(script),
      inTransaction(database.sql, async (tx) => {
        await tx`insert into notes (text) values ('never')`;
        throw new Error("rolled back");
      }).catch((error: Error) => expect(error.message).toBe("rolled back")),
      bossExecutor(database.sql).executeSql(script),
      database.sql`select from notes`,
    ]);
  }
  const rows = await database.sql`
    select text, count(*) as times from notes where text in ('one', 'two', 'script', 'never') group by text order by text`;
  expect(rows).toEqual([{ text: "one", times: 20 }, { text: "script", times: 40 }, {
    text: "two",
    times: 20,
  }]);
});
