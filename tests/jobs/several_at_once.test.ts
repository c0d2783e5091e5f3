import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test, vi } from "vitest";
import { runJob, startJobs } from "../../jobs/main.ts";
import type { Embedder } from "../../src/embedding/embedder.ts";
import { log } from "../../src/core/log.ts";
import { QUEUES } from "../../src/core/queue.ts";
import { makeProject, makeTicket } from "../factories.ts";
import { useHarness } from "../harness.ts";
import { until } from "../until.ts";

let awake = false;
let [atWork, mostAtWork] = [0, 0];
const { atOnce } = QUEUES["embed-ticket"];
/** No job ends before this number of jobs run at once. */
const together = Promise.withResolvers<void>();

const embedder: Embedder = {
  state: () => ({ state: "ready", queued: 0 }),
  async embed(text) {
    if (!awake) return null;
    mostAtWork = Math.max(mostAtWork, ++atWork);
    if (atWork === atOnce) together.resolve();
    await together.promise;
    await pause(20);
    atWork--;
    return text.startsWith("Unreadable") ? null : new Float32Array(384).fill(0.05);
  },
  close: () => {},
};
const harness = useHarness({ embedder, env: { EMBEDDING_THREADS: "1" } });

test("a job that fails is a warning while it is tried again, and an error when it isn't", async () => {
  const [warn, error] = [vi.spyOn(log, "warn"), vi.spyOn(log, "error")];
  const attempt = (retryCount: number) =>
    runJob(harness.now.services, "embed-ticket", { id: "1", data: {}, retryCount, retryLimit: 2 });
  for (const tried of [0, 1, 2]) await expect(attempt(tried)).rejects.toThrow();
  expect(warn.mock.calls).toMatchObject([1, 2].map((tried) => ["job failed", { try: tried, of: 3 }]));
  expect(error.mock.calls).toMatchObject([["job failed for good", { queue: "embed-ticket", try: 3, of: 3 }]]);
  vi.restoreAllMocks();
});

test("a job that waits for a model which can't be used says why that is", async () => {
  const ticket = await makeTicket(harness.now, await makeProject(harness.now));
  const reason = "Cannot use the model: config.json is missing";
  const broken: Embedder = { ...embedder, state: () => ({ state: "failed", reason, queued: 0 }) };
  const job = { id: "1", data: { ticket_id: ticket.id }, retryCount: 0, retryLimit: 2 };
  await expect(runJob({ ...harness.now.services, embedder: broken }, "embed-ticket", job)).rejects.toThrow(
    reason,
  );
});

test("a process without the model leaves its jobs to those that have it", async () => {
  const { boss, services, sql } = harness.now;
  await boss.send("embed-ticket", { ticket_id: crypto.randomUUID() });
  const config = { ...services.config, EMBEDDING_THREADS: 0 };
  await startJobs(boss, { ...services, config });
  const states = async () => {
    const rows = await sql<{ name: string; state: string }[]>`
      select name, state from pgboss.job where name in ('embed-ticket', 'backfill-embeddings', 'renew-tokens')`;
    return Object.fromEntries(rows.map(({ name, state }) => [name, state]));
  };
  await until(async () => (await states())["renew-tokens"] === "completed");
  expect(await states()).toEqual({ "embed-ticket": "created", "renew-tokens": "completed" });
  for (const name of Object.keys(QUEUES)) await boss.offWork(name);
  await boss.deleteAllJobs();
});

describe("jobs that a process runs at once", () => {
  test("are as many as their queue says, and one that fails fails alone", async () => {
    const project = await makeProject(harness.now);
    const unreadable = await makeTicket(harness.now, project, { title: "Unreadable by the model" });
    for (let n = 0; n < 20; n++) await makeTicket(harness.now, project);
    awake = true;
    await startJobs(harness.now.boss, harness.now.services);
    await until(async () => {
      const [row] = await harness.now.sql<{ embedded: number }[]>`
        select count(*) as embedded from ticket_embeddings where project_id = ${project.id}::uuid`;
      return row?.embedded === 20;
    });
    // The job is between its tries. The next try begins five seconds after this one.
    const failed = await until(async () => {
      const jobs = await harness.now.sql<{ ticket: string; error: string }[]>`
        select data ->> 'ticket_id' as ticket, output ->> 'message' as error from pgboss.job
        where name = 'embed-ticket' and state = 'retry'`;
      return jobs.length > 0 && jobs;
    });
    expect(failed).toEqual([
      { ticket: unreadable.id, error: expect.stringContaining("the model gave no embedding") },
    ]);
    // The job for missing embeddings starts with the process, and embeds one more ticket at the
    // same time.
    expect([atOnce, atOnce + 1]).toContain(mostAtWork);
  });
});
