import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Db, Sql } from "../../db/open.ts";
import { runJob, startJobs } from "../../jobs/main.ts";
import { prepareQueues, QUEUES } from "../../src/core/queue.ts";
import { serverUrl } from "../database.ts";
import { type Harness, openHarness, useHarness } from "../harness.ts";

const harness = useHarness();

const jobsOf = (name: string) =>
  harness.now.sql<{ key: string | null; waits: boolean }[]>`
    select singleton_key as key, start_after > now() + interval '30 seconds' as waits from pgboss.job
    where name = ${name} and state = 'created' order by singleton_key`;

describe("a queue", () => {
  test("lets one job of a key wait, and where it has no keys one at all", async () => {
    const { services: { queue }, sql } = harness.now;
    const [repo, run_id] = ["acme/one", "01990000-0000-7000-8000-000000000001"];
    for (const sha of ["a", "b", "a"]) await queue.enqueue(sql, "close-parked-tickets", { repo, sha });
    for (const full of [true, false, true]) {
      await queue.enqueue(sql, "analyze-project", { project_id: run_id, ...(full && { full }) });
    }
    for (let n = 0; n < 2; n++) await queue.enqueue(sql, "prune", {});
    expect((await jobsOf("close-parked-tickets")).map(({ key }) => key)).toEqual([
      "acme/one@a",
      "acme/one@b",
    ]);
    expect((await jobsOf("analyze-project")).map(({ key }) => key)).toEqual([run_id, `${run_id}:full`]);
    expect(await jobsOf("prune")).toHaveLength(1);
  });

  test("keeps a job until its time where it is to begin later", async () => {
    const { services: { queue }, sql } = harness.now;
    const run_id = "01990000-0000-7000-8000-000000000002";
    await queue.enqueue(sql, "set-up-hooks", { run_id }, { startAfterSeconds: 60 });
    expect(await jobsOf("set-up-hooks")).toEqual([{ key: run_id, waits: true }]);
  });

  test("does no job whose payload is not of its form", async () => {
    const data = { project_id: "01990000-0000-7000-8000-000000000003", full: "yes" };
    const job = { id: "01990000-0000-7000-8000-000000000004", data, retryCount: 0, retryLimit: 0 };
    await expect(runJob(harness.now.services, "analyze-project", job)).rejects.toThrow("expected boolean");
  });

  test("has today's settings after a start, no matter what it had before", async () => {
    const { boss, sql } = harness.now;
    const settings = () =>
      sql`
      select name, policy, retry_limit, retry_delay, retry_backoff, expire_seconds from pgboss.queue
      where name = any (${Object.keys(QUEUES)}::text[]) order by name`;
    const written = () => sql`select max(updated_on) as at from pgboss.queue`;
    const [before, first] = [[...await settings()], [...await written()]];
    await prepareQueues(boss);
    expect([...await written()]).toEqual(first);
    await sql`
      update pgboss.queue set retry_limit = 0, retry_delay = 1, expire_seconds = 3600 where name = any (${
      Object.keys(QUEUES)
    }::text[])`;
    await prepareQueues(boss);
    expect([...await settings()]).toEqual(before);
  });

  test("keeps a job for seven days after its end, and for 14 what nothing runs", async () => {
    const kept = await harness.now.sql`
      select distinct deletion_seconds / 86400 as ended, retention_seconds / 86400 as waiting from pgboss.queue`;
    expect([...kept]).toEqual([{ ended: 7, waiting: 14 }]);
  });
});

describe("a process that runs jobs", () => {
  let starting: Harness;
  beforeAll(async () => {
    starting = await openHarness({ env: { EMBEDDING_THREADS: "1" } });
    await startJobs(starting.boss, starting.services);
  });
  afterAll(() => starting.close());

  test("has a time for each job that comes by itself", async () => {
    const times = await starting.sql<{ name: string; cron: string; timezone: string }[]>`
      select name, cron, timezone from pgboss.schedule order by name`;
    expect(times.map(({ name, cron, timezone }) => `${name} ${cron} ${timezone}`)).toEqual([
      "analyze-all-projects 30 2 * * * UTC",
      "backfill-embeddings 23 * * * * UTC",
      "collect-changes */5 * * * * UTC",
      "deliver-notifications * * * * * UTC",
      "end-leases * * * * * UTC",
      "expire-questions * * * * * UTC",
      "prune 41 3 * * * UTC",
      "renew-tokens 17 4 * * * UTC",
      "retry-webhooks * * * * * UTC",
      "sweep-merged-tickets 7 * * * * UTC",
    ]);
  });

  test("renews tokens and fills in embeddings when it starts", async () => {
    const started = await starting.sql<{ name: string }[]>`
      select name from pgboss.job where name not like '\\_\\_pgboss%' order by name`;
    expect(started.map(({ name }) => name)).toEqual(["backfill-embeddings", "renew-tokens"]);
  });
});

test("a job that waits begins only when the change that relies on it is there to be seen", async () => {
  const { services, sql, boss } = harness.now;
  const enqueue = (db: Db) => services.queue.enqueue(db, "renew-tokens", {});
  await enqueue(sql);
  await sql.begin(async (tx) => {
    await enqueue(tx);
    // The transaction uses the embedded database's only connection.
    if (serverUrl) expect(await boss.fetch("renew-tokens")).toEqual([]);
  });
  expect(await boss.fetch("renew-tokens")).toHaveLength(1);
  await enqueue(sql);
  expect(await boss.fetch("renew-tokens"), "the one before has begun").toHaveLength(1);
});

test("a job that waits and is taken at that moment is followed by another", async () => {
  const { services, sql, boss } = harness.now;
  await services.queue.enqueue(sql, "collect-changes", {});
  let taken = 0;
  /** Takes the first job after a second one was refused, and before the first one is looked at. */
  const overtaken: Sql = new Proxy(sql, {
    async apply(target, self, args) {
      taken += (await boss.fetch("collect-changes")).length;
      return await Reflect.apply(target, self, args);
    },
  });
  await services.queue.enqueue(overtaken, "collect-changes", {});
  expect(taken).toBe(1);
  expect(await jobsOf("collect-changes")).toHaveLength(1);
});
