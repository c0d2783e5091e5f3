import type { Context } from "../core/context.ts";
import { transact } from "../core/transact.ts";

/** Creates a job for each endpoint with a delivery whose next try is due. */
export async function enqueueDueDeliveries(ctx: Context): Promise<void> {
  await transact(ctx, async (ctx) => {
    const { db, queue } = ctx;
    const due = await db<{ id: string }[]>`
      select e.id from outbound_endpoints e
      where e.enabled and (e.paused_until is null or e.paused_until <= now()) and exists (
        select from outbound_deliveries d where d.endpoint_id = e.id and d.status = 'pending' and d.next_attempt_at <= now())`;
    for (const { id } of due) await queue.enqueue(db, "send-webhooks", { endpoint_id: id });
    if (due.length > 0) ctx.afterCommit(() => queue.wake("send-webhooks"));
  });
}
