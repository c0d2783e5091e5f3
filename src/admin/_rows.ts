import type { Db } from "../../db/open.ts";

/**
 * The columns of a Job for the queue's table `pgboss.job j`. Times have milliseconds, like times in
 * cursors. A dead letter describes the job from which it was made, and is not tried by itself.
 */
export function jobColumns(db: Db) {
  return db`j.id, j.name as queue, j.state::text as state, j.data as payload,
    coalesce(j.output ->> 'message', j.output #>> '{value,message}',
      j.source_output ->> 'message', j.source_output #>> '{value,message}') as error,
    j.retry_count + (j.started_on is not null)::integer as tries, j.retry_limit + 1 as max_tries,
    date_trunc('milliseconds', j.created_on) as created_at,
    case when j.state in ('created', 'retry') and j.source_id is null then j.start_after end as next_try_at,
    j.started_on as started_at, j.completed_on as completed_at`;
}
