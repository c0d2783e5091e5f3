import type { PgBoss, QueueOptions, QueueResult } from "pg-boss";
import { z } from "zod";
import type { Database, Db } from "../../db/open.ts";
import { bossExecutor, createBoss, RECOVERY } from "../../db/queue.ts";
import { Author, Id } from "./schema.ts";

/**
 * Every queue: the schema of its payload and how a failed job is tried again. Handlers are in
 * jobs/. `retryLimit` counts tries after the first; with `retryBackoff` the delay doubles.
 */
export const QUEUES = {
  "embed-ticket": {
    payload: z.object({ ticket_id: Id }),
    key: ({ ticket_id }: { ticket_id: string }) => ticket_id,
    retry: { retryLimit: 20, retryDelay: 5, retryBackoff: true, retryDelayMax: 600 },
    atOnce: 8,
    needsModel: true,
  },
  // The job is tried for some two hours and then waits as a dead letter for an admin. During that
  // time the hourly sweep closes the tickets.
  "close-parked-tickets": {
    payload: z.object({ repo: z.string(), sha: z.string() }),
    key: ({ repo, sha }: { repo: string; sha: string }) => `${repo}@${sha}`,
    retry: { retryLimit: 14, retryDelay: 5, retryBackoff: true, retryDelayMax: 900 },
    deadLetter: "close-parked-tickets-dead",
    atOnce: 4,
  },
  "sweep-merged-tickets": {
    payload: z.object({}),
    retry: { retryLimit: 5, retryDelay: 30, retryBackoff: true },
    cron: "7 * * * *",
  },
  "end-leases": {
    payload: z.object({}),
    retry: { retryLimit: 0, retryDelay: 1, retryBackoff: false },
    cron: "* * * * *",
  },
  "expire-questions": {
    payload: z.object({}),
    retry: { retryLimit: 0, retryDelay: 1, retryBackoff: false },
    cron: "* * * * *",
  },
  "deliver-notifications": {
    payload: z.object({}),
    retry: { retryLimit: 0, retryDelay: 1, retryBackoff: false },
    cron: "* * * * *",
  },
  "backfill-embeddings": {
    payload: z.object({ after: Id.optional() }),
    retry: { retryLimit: 5, retryDelay: 60, retryBackoff: true },
    cron: "23 * * * *",
    atStart: true,
    needsModel: true,
  },
  // The next two change the tickets of a label that was deleted or merged, and of a deleted milestone.
  "replace-label": {
    payload: z.object({ label_id: Id, author: Author }),
    key: ({ label_id }: { label_id: string }) => label_id,
    retry: { retryLimit: 10, retryDelay: 5, retryBackoff: true, retryDelayMax: 600 },
  },
  "leave-milestone": {
    payload: z.object({ milestone_id: Id, author: Author }),
    key: ({ milestone_id }: { milestone_id: string }) => milestone_id,
    retry: { retryLimit: 10, retryDelay: 5, retryBackoff: true, retryDelayMax: 600 },
  },
  // Placements at one place make ever longer keys.
  "rebalance-ranks": {
    payload: z.object({ project_id: Id }),
    key: ({ project_id }: { project_id: string }) => project_id,
    retry: { retryLimit: 5, retryDelay: 30, retryBackoff: true },
  },
  "prune": {
    payload: z.object({}),
    retry: { retryLimit: 3, retryDelay: 300, retryBackoff: true },
    cron: "41 3 * * *",
  },
  "set-up-hooks": {
    payload: z.object({ run_id: Id }),
    key: ({ run_id }: { run_id: string }) => run_id,
    retry: { retryLimit: 20, retryDelay: 5, retryBackoff: true, retryDelayMax: 600 },
  },
  // A delivery plans its next try, and makes a job for that time. The schedule finds tries whose job
  // was lost.
  "retry-webhooks": {
    payload: z.object({ slot: z.int().optional() }),
    key: ({ slot }: { slot?: number }) => `${slot ?? ""}`,
    retry: { retryLimit: 0, retryDelay: 1, retryBackoff: false },
    cron: "* * * * *",
  },
  "send-webhooks": {
    payload: z.object({ endpoint_id: Id }),
    key: ({ endpoint_id }: { endpoint_id: string }) => endpoint_id,
    retry: { retryLimit: 0, retryDelay: 1, retryBackoff: false },
    workers: 8,
  },
  "renew-tokens": {
    payload: z.object({}),
    retry: { retryLimit: 5, retryDelay: 60, retryBackoff: true },
    cron: "17 4 * * *",
    atStart: true,
  },
  // The next run finds the changes that this run missed.
  "collect-changes": {
    payload: z.object({}),
    retry: { retryLimit: 1, retryDelay: 30, retryBackoff: false },
    cron: "*/5 * * * *",
  },
  "analyze-project": {
    payload: z.object({ project_id: Id, full: z.boolean().optional() }),
    key: ({ project_id, full }: { project_id: string; full?: boolean }) =>
      full ? `${project_id}:full` : project_id,
    retry: { retryLimit: 5, retryDelay: 30, retryBackoff: true, retryDelayMax: 600 },
  },
  "analyze-all-projects": {
    payload: z.object({}),
    retry: { retryLimit: 3, retryDelay: 300, retryBackoff: true },
    cron: "30 2 * * *",
  },
} as const satisfies Record<string, QueueDefinition>;

/** Queues of earlier versions. Their schedules would go on to make jobs. */
const FORMER_QUEUES = ["follow-changes"];

export interface QueueDefinition {
  payload: z.ZodType<object>;
  /** At most one job with the same key waits. Without keys, at most one job of the queue waits. */
  key?: (payload: never) => string;
  retry: { retryLimit: number; retryDelay: number; retryBackoff: boolean; retryDelayMax?: number };
  /** A cron expression of five fields, in UTC. Each occurrence creates one job per installation. */
  cron?: string;
  /**
   * The number of jobs that a process runs at once, for a queue that may have many; 1 if absent.
   */
  atOnce?: number;
  /**
   * The number of jobs that a process runs at once, for a queue whose jobs take long and must not
   * wait for one another; 1 if absent.
   */
  workers?: number;
  /** A start of a process also makes a job. */
  atStart?: true;
  /** A process without the model leaves the jobs to processes that have it. */
  needsModel?: true;
  /** The queue that receives jobs after their last try. */
  deadLetter?: string;
}

export type QueueName = keyof typeof QUEUES;
export type Payload<Name extends QueueName> = z.infer<(typeof QUEUES)[Name]["payload"]>;

export interface Queue {
  /**
   * Adds a job inside `db`'s transaction, so that the job exists if and only if the change that
   * requested the job exists.
   */
  enqueue<Name extends QueueName>(
    db: Db,
    name: Name,
    payload: Payload<Name>,
    options?: { startAfterSeconds?: number },
  ): Promise<void>;
  /**
   * Lets the workers of this process look for jobs of a queue now and not at the next look. Call it
   * after the commit that creates the job.
   */
  wake(name: string): void;
  /** Names what `wake` calls for a queue. */
  onWake(name: string, wake: () => void): void;
  /** Gives a failed job one more try. Any other job is left as it is. */
  retry(db: Db, name: string, id: string): Promise<void>;
}

/**
 * Creates each queue that is missing, and updates the settings of the others. Several processes may
 * do this at once. At most starts nothing has to be changed.
 */
export async function prepareQueues(boss: PgBoss): Promise<void> {
  const present = new Map((await boss.getQueues()).map((queue) => [queue.name, queue]));
  const definitions: [string, QueueDefinition][] = Object.entries(QUEUES);
  for (const [name, { retry, deadLetter }] of definitions) {
    if (deadLetter && !present.has(deadLetter)) await boss.createQueue(deadLetter);
    const settings = { ...RECOVERY, ...retry, ...(deadLetter && { deadLetter }) };
    const queue = present.get(name);
    if (!queue) await boss.createQueue(name, { policy: "short", ...settings });
    else if (!isMatch(queue, settings)) await boss.updateQueue(name, settings);
  }
  for (const name of FORMER_QUEUES) if (present.has(name)) await boss.deleteQueue(name);
}

/** Makes the queue's tables and all queues in a database on which no service runs. */
export async function makeQueues({ sql, isPglite }: Pick<Database, "sql" | "isPglite">): Promise<void> {
  let failure: unknown;
  const boss = createBoss(sql, { isPglite, supervises: false, onError: (error) => failure = error });
  await boss.start();
  await prepareQueues(boss);
  await boss.stop({ graceful: false });
  if (failure !== undefined) throw failure;
}

function isMatch(queue: QueueResult, settings: QueueOptions): boolean {
  return Object.entries(settings).every(([name, value]) => queue[name as keyof QueueOptions] === value);
}

export function openQueue(boss: PgBoss): Queue {
  const served = new Map<string, () => void>();
  return {
    wake: (name) => served.get(name)?.(),
    onWake: (name, wake) => void served.set(name, wake),
    async enqueue(db, name, payload, { startAfterSeconds } = {}) {
      const { key }: QueueDefinition = QUEUES[name];
      const singletonKey = key?.(payload as never);
      const options = {
        db: bossExecutor(db),
        ...(singletonKey !== undefined && { singletonKey }),
        ...(startAfterSeconds !== undefined && { startAfter: startAfterSeconds }),
      };
      while (await boss.send(name, payload, options) === null) {
        // One job waits already. The lock keeps that job from starting before this change is
        // committed. If no job is found, a worker has just taken it.
        const waiting = await db`
          select from pgboss.job where name = ${name} and coalesce(singleton_key, '') = ${singletonKey ?? ""}
            and state = 'created' and policy = 'short' for share`;
        if (waiting.count > 0) return;
      }
    },
    async retry(db, name, id) {
      await boss.retry(name, id, { db: bossExecutor(db) });
    },
  };
}
