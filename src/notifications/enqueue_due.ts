import type { Context } from "../core/context.ts";

/** Creates the job that delivers messages, if a message is due now. */
export async function enqueueDueNotifications({ db, queue }: Context): Promise<void> {
  const [row] = await db<[{ due: boolean }]>`
    select exists (select from notifications where undelivered and urgent and coalesce(snoozed_until <= now(), true))
      or exists (select from messages where state = 'pending' and next_try_at <= now()) as due`;
  if (row.due) await queue.enqueue(db, "deliver-notifications", {});
}
