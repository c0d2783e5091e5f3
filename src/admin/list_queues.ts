import type { ActorContext } from "../core/context.ts";
import type { QueueState } from "./schema.ts";

/** Returns the number of jobs in each queue, by state. */
export async function listQueues({ db }: ActorContext) {
  const queues = await db<QueueState[]>`
    select q.name, s.cron, q.dead_letter, count(*) filter (where j.state in ('created', 'retry')) as waiting,
      count(*) filter (where j.state = 'active') as active, count(*) filter (where j.state = 'failed') as failed,
      count(*) filter (where j.state = 'completed') as completed
    from pgboss.queue q
    left join pgboss.schedule s on s.name = q.name
    left join pgboss.job j on j.name = q.name
    where q.name not like '\\_\\_pgboss%'
    group by q.name, s.cron, q.dead_letter order by q.name`;
  return { queues, next_cursor: null };
}
