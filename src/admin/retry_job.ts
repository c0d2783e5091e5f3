import { recordAudit } from "../core/audit.ts";
import type { ActorContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { type Payload, type QueueName, QUEUES } from "../core/queue.ts";
import type { IdPath } from "../core/schema.ts";
import { transact } from "../core/transact.ts";
import { jobColumns } from "./_rows.ts";
import type { Job } from "./schema.ts";

/**
 * Gives a failed job one more try now. A dead letter represents the job from which it was made, and
 * the retry deletes it.
 * @throws {AppError} not_found; conflict if the job has not failed
 */
export async function retryJob(ctx: ActorContext, input: IdPath): Promise<Job> {
  return await transact(ctx, async (ctx) => {
    const { db } = ctx;
    const job = await retryKept(ctx, input) ?? await runAgain(ctx, input);
    if (!job) throw new AppError("not_found", "No such job");
    await recordAudit(ctx, {
      account_id: null,
      action: "job.retried",
      target_type: "job",
      target_id: job.id,
      details: { queue: job.name },
    });
    const [retried] = await db<[Job]>`select ${
      jobColumns(db)
    } from pgboss.job j where j.id = ${job.id}::uuid`;
    return retried;
  });
}

interface Retried {
  id: string;
  name: string;
}

async function retryKept({ db, queue }: ActorContext, { id }: IdPath): Promise<Retried | undefined> {
  const [job] = await db<(Retried & { state: string })[]>`
    select o.id, o.name, o.state::text as state from pgboss.job j join pgboss.job o on o.id = coalesce(j.source_id, j.id)
    where j.id = ${id}::uuid for update of o`;
  if (!job) return undefined;
  if (job.state !== "failed") {
    throw new AppError("conflict", `Cannot retry this job of ${job.name}: it is ${job.state}, not failed`);
  }
  await queue.retry(db, job.name, job.id);
  await db`delete from pgboss.job where source_id = ${job.id}::uuid and state = 'created'`;
  return job;
}

/**
 * A dead letter is kept for longer than its job. If the job no longer exists, a new job is made
 * from the dead letter's payload.
 */
async function runAgain({ db, queue }: ActorContext, { id }: IdPath): Promise<Retried | undefined> {
  const [letter] = await db<{ name: QueueName; payload: Payload<QueueName>; key: string | null }[]>`
    delete from pgboss.job where id = ${id}::uuid and state = 'created' and source_name = any (${
    Object.keys(QUEUES)
  }::text[])
    returning source_name as name, data as payload, singleton_key as key`;
  if (!letter) return undefined;
  const { name, payload, key } = letter;
  await queue.enqueue(db, name, payload);
  // Another job that already waits under the key does the same work.
  const [job] = await db<Retried[]>`
    select id, name from pgboss.job
    where name = ${name} and state = 'created' and singleton_key is not distinct from ${key}
    order by created_on desc limit 1`;
  return job;
}
