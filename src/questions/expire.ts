import { releaseTasks } from "../assignments/question_block.ts";
import type { Context } from "../core/context.ts";
import { transact } from "../core/transact.ts";

/** The most questions that one sweep handles. The next sweep takes the rest. */
const BATCH = 500;

/**
 * Ends questions whose time has come, with their default option if they have one. Rows that are
 * being written right now are left to the next sweep.
 */
export async function expireQuestions(ctx: Context): Promise<void> {
  const [due] = await ctx.db<[{ any: boolean }]>`
    select exists (select from questions where status = 'pending' and due_at <= now()) as any`;
  if (!due.any) return;
  await transact(ctx, async (ctx) => {
    const { db } = ctx;
    // The ticket is locked first, as by every call that ends a question.
    const tickets = await db<{ id: string }[]>`
      select t.id from tickets t where t.id in (
        select q.ticket_id from questions q where q.status = 'pending' and q.due_at <= now() order by q.due_at limit ${BATCH})
      order by t.id for update skip locked`;
    const ended = await db<{ id: string; task_id: string | null }[]>`
      update questions set updated_at = clock_timestamp(), ended_at = clock_timestamp(),
        status = case when default_option is null then 'expired' else 'answered' end,
        answered_with = case when default_option is not null then 'default' end,
        option_ids = case when default_option is not null then array[default_option] end
      where status = 'pending' and due_at <= now() and ticket_id = any (${
      tickets.map(({ id }) => id)
    }::uuid[])
      returning id, task_id`;
    const blocking = ended.filter(({ task_id }) => task_id !== null);
    if (blocking.length > 0) await releaseTasks(ctx, blocking.map(({ id }) => id));
  });
}
