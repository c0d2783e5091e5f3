import type { ActorContext } from "../core/context.ts";
import { decodeCursor, page } from "../core/cursor.ts";
import { pageLimit } from "../core/planner.ts";
import { jobColumns } from "./_rows.ts";
import type { Job, ListJobs } from "./schema.ts";

/** Returns jobs of all queues, the newest first. */
export async function listJobs({ db }: ActorContext, input: ListJobs) {
  const [time, id] = input.cursor ? decodeCursor(input.cursor, ["time", "id"]) : [null, null];
  const rows = await db<Job[]>`
    select ${jobColumns(db)} from pgboss.job j
    where j.name not like '\\_\\_pgboss%'
      ${input.state === undefined ? db`` : db`and j.state::text = ${input.state}`}
      ${input.queue === undefined ? db`` : db`and j.name = ${input.queue}`}
      ${
    time === null
      ? db``
      : db`and (date_trunc('milliseconds', j.created_on), j.id) < (${time!}::timestamptz, ${id!}::uuid)`
  }
    order by date_trunc('milliseconds', j.created_on) desc, j.id desc limit ${pageLimit(db, input.limit)}`;
  const { items, next_cursor } = page(rows, input.limit, ({ created_at, id }) => [created_at, id]);
  return { jobs: items, next_cursor };
}
