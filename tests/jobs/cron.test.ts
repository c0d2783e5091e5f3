import { PgBoss, TestClock } from "pg-boss";
import { expect, inject, test } from "vitest";
import { type Database, openDatabase } from "../../db/open.ts";
import { bossExecutor } from "../../db/queue.ts";
import { startJobs } from "../../jobs/main.ts";
import { QUEUES } from "../../src/core/queue.ts";
import { copyTemplate, dropPlace, pastPooler, type Place } from "../database.ts";
import { type Harness, openHarnessAt } from "../harness.ts";
import { until } from "../until.ts";

const MINUTES = 10;
const STEP_SECONDS = 5;
const SWEEPS = ["end-leases", "sweep-merged-tickets"];

/** pg-boss as one process runs it, except for its clock, which the test moves. */
async function openBoss(database: Database, clock: TestClock): Promise<PgBoss> {
  const { sql, isPglite } = database;
  const db = {
    ...bossExecutor(sql),
    async setSessionStatements(statements: string[]) {
      for (const statement of statements) await sql.unsafe(statement);
    },
  };
  const backend = isPglite ? "pglite" : "postgres";
  const boss = new PgBoss({ db, clock, backend, schema: "pgboss", supervise: false, schedule: true });
  boss.on("error", (error) => {
    throw error;
  });
  await boss.start();
  return boss;
}

/**
 * On a server each process has a connection of its own, because the clock is a setting of the
 * session; the embedded database has one for all.
 */
async function openClients(place: Place): Promise<Database[]> {
  if (!place.url) return [];
  return await Promise.all([1, 2].map(() => openDatabase({ ...pastPooler(place), poolSize: 1 })));
}

/** Lets this time pass, and runs the jobs that become due in it. */
async function pass({ sql }: Harness, clock: TestClock, seconds: number): Promise<void> {
  for (let passed = 0; passed < seconds; passed += STEP_SECONDS) {
    await clock.tick(STEP_SECONDS * 1000);
    // The clock waits for the queue's statements, not for the handlers.
    await until(async () => (await sql`select from pgboss.job where state = 'active' limit 1`).length === 0);
  }
}

test("two processes on one database for ten simulated minutes: each sweep runs once", async () => {
  const place = await copyTemplate(inject("template"));
  const harness = await openHarnessAt(place);
  const clients = await openClients(place);
  const clock = new TestClock("2026-11-20T10:00:30Z");
  const shared = { sql: harness.sql, isPglite: true } as Database;
  const bosses: PgBoss[] = [];
  for (const index of [0, 1]) bosses.push(await openBoss(clients[index] ?? shared, clock));
  try {
    for (const boss of bosses) {
      await startJobs(boss, harness.services);
      // The other workers' polls would take most of the time.
      const others = Object.keys(QUEUES).filter((name) => !SWEEPS.includes(name));
      await Promise.all(others.map((name) => boss.offWork(name, { wait: false })));
    }
    await pass(harness, clock, MINUTES * 60);
    const jobs = await harness.sql`
      select name, count(*) as jobs, count(distinct date_trunc('minute', created_on)) as minutes,
        count(*) filter (where state = 'completed' and retry_count = 0) as once
      from pgboss.job where name = any (${SWEEPS}) group by name order by name`;
    expect(jobs).toEqual([
      { name: "end-leases", jobs: MINUTES, minutes: MINUTES, once: MINUTES },
      { name: "sweep-merged-tickets", jobs: 1, minutes: 1, once: 1 },
    ]);
  } finally {
    for (const boss of bosses) await boss.stop({ graceful: false });
    for (const client of clients) await client.close();
    await harness.stop();
    await dropPlace(place);
  }
});

test("a machine that slept for two nights makes up for what they would have done, once", async () => {
  const place = await copyTemplate(inject("template"));
  const harness = await openHarnessAt(place);
  const clients = await openClients(place);
  const clock = new TestClock("2026-11-20T17:59:30Z");
  const boss = await openBoss(clients[0] ?? { sql: harness.sql, isPglite: true } as Database, clock);
  try {
    await startJobs(boss, harness.services);
    await pass(harness, clock, 60);
    await clock.setTime("2026-11-22T08:01:30Z");
    await pass(harness, clock, 60);
    const jobs = await harness.sql<{ name: string; jobs: number }[]>`
      select name, count(*) as jobs from pgboss.job
      where name in ('prune', 'analyze-all-projects', 'sweep-merged-tickets') and state = 'completed'
      group by name order by name`;
    expect(jobs).toEqual(
      ["analyze-all-projects", "prune", "sweep-merged-tickets"].map((name) => ({ name, jobs: 1 })),
    );
  } finally {
    await boss.stop({ graceful: false });
    for (const client of clients) await client.close();
    await harness.stop();
    await dropPlace(place);
  }
});
