import { recordAudit } from "../core/audit.ts";
import type { ActorContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { transact } from "../core/history.ts";
import { jobColumns } from "./_jobs.ts";
import type { Job, JobPath } from "./jobs_schema.ts";

/**
 * Gives a failed job one more try now. A dead letter stands for the job that it was made of, and goes with the retry.
 * @throws {AppError} not_found; conflict when the job has not failed
 */
export async function retryJob(ctx: ActorContext, input: JobPath): Promise<Job> {
  return await transact(ctx, async (ctx) => {
    const { db, queue } = ctx;
    const [job] = await db<{ id: string; name: string; state: string }[]>`
      select o.id, o.name, o.state::text as state from pgboss.job j join pgboss.job o on o.id = coalesce(j.source_id, j.id)
      where j.id = ${input.id}::uuid for update of o`;
    if (!job) throw new AppError("not_found", "No such job");
    if (job.state !== "failed") {
      throw new AppError("conflict", `Cannot retry this job of ${job.name}: it is ${job.state}, not failed`);
    }
    await queue.retry(db, job.name, job.id);
    await db`delete from pgboss.job where source_id = ${job.id}::uuid and state = 'created'`;
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
