import type { JobResult, JobWithMetadata, PgBoss } from "pg-boss";
import { setTimeout as pause } from "node:timers/promises";
import { dueQueues, LOOK_SECONDS, POLLING_SECONDS } from "../db/queue.ts";
import { type Context, type Services, systemContext } from "../src/core/context.ts";
import { describeError, log } from "../src/core/log.ts";
import { type QueueDefinition, type QueueName, QUEUES } from "../src/core/queue.ts";
import { runFollower } from "../src/core/follower.ts";
import { FOLLOWERS } from "./followers.ts";
import { handlers } from "./handlers.ts";

/**
 * Works on every queue that this process can work on, and schedules the queues that have a cron.
 */
export async function startJobs(boss: PgBoss, services: Services): Promise<void> {
  for (const name of Object.keys(QUEUES) as QueueName[]) {
    const { cron, atStart, atOnce = 1, workers = 1, needsModel }: QueueDefinition = QUEUES[name];
    if (needsModel && services.config.EMBEDDING_THREADS === 0) continue;
    // pg-boss files each occurrence under a key of its own, so only one of several processes makes
    // the job. If several occurrences became due while no process was running, as on a machine that
    // is off at night, one job replaces all of them.
    if (cron) await boss.schedule(name, cron, {}, { tz: "UTC", missed: "once" });
    if (atStart) await boss.send(name, {});
    const options = {
      pollingIntervalSeconds: POLLING_SECONDS,
      batchSize: atOnce,
      // After a fetch that returned as many jobs as possible, the next fetch follows at once.
      burstWhenBatchFull: true,
      perJobResults: true as const,
      includeMetadata: true as const,
    };
    const ids: string[] = [];
    for (let worker = 0; worker < workers; worker++) {
      ids.push(
        await boss.work(name, options, (jobs) => Promise.all(jobs.map((job) => settle(services, name, job)))),
      );
    }
    services.queue.onWake(name, () => ids.forEach((id) => boss.notifyWorker(id)));
  }
  void wakeWorkers(services);
}

/**
 * Starts the followers of the events. They run in each process, also in one without jobs, so that
 * people are notified of its changes at once.
 */
export function startFollowers(services: Services): void {
  for (const follower of FOLLOWERS) {
    void runFollower(
      systemContext(services, { kind: "job", id: follower.name }, crypto.randomUUID()),
      follower,
    );
  }
}

/** Wakes the workers of queues that have a due job, until the service drains. */
async function wakeWorkers({ sql, queue, signal }: Services): Promise<void> {
  while (!signal.aborted) {
    // After a failure the next look tries again. The health check tells of a database that is away.
    const due = await dueQueues(sql).catch(() => []);
    for (const name of due) queue.wake(name);
    await pause(LOOK_SECONDS * 1000, undefined, { signal }).catch(() => {});
  }
}

/** Longer than two rests of a queue and a job between them. */
const STALLED_MS = 2 * POLLING_SECONDS * 1000 + 120_000;

/**
 * Tells whether a worker of this process has stopped asking for jobs. Nothing else would tell, because
 * the process still answers its callers.
 */
export function areStalled(boss: PgBoss): boolean {
  const now = Date.now();
  return boss.getWipData().some(({ state, createdOn, lastFetchedOn }) =>
    state === "active" && now - (lastFetchedOn ?? createdOn) > STALLED_MS
  );
}

/** `retryCount` is the number of earlier tries. */
type TakenJob = Pick<JobWithMetadata<unknown>, "id" | "data" | "retryCount" | "retryLimit">;

/** Each of several jobs succeeds or fails independently of the others. */
async function settle(services: Services, name: QueueName, job: TakenJob): Promise<JobResult> {
  try {
    await runJob(services, name, job);
    return { id: job.id, status: "completed" };
  } catch (error) {
    return { id: job.id, status: "failed", output: { message: String(error) } };
  }
}

/** Runs one job under its own author. An error makes pg-boss try again, by the queue's policy. */
export async function runJob(services: Services, name: QueueName, job: TakenJob): Promise<void> {
  const ctx = systemContext(services, { kind: "job", id: name }, job.id);
  const started = performance.now();
  try {
    const handle = handlers[name] as (ctx: Context, payload: unknown) => Promise<void>;
    await handle(ctx, QUEUES[name].payload.parse(job.data ?? {}));
    log.info("job", { queue: name, job_id: job.id, ms: Math.round(performance.now() - started) });
  } catch (error) {
    const tries = { try: job.retryCount + 1, of: job.retryLimit + 1 };
    const facts = { queue: name, job_id: job.id, ...tries, ...describeError(error) };
    if (tries.try < tries.of) log.warn("job failed", facts);
    else log.error("job failed for good", facts);
    throw error;
  }
}
