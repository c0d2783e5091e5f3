import type { ProjectContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { transact } from "../core/transact.ts";
import { deliveryColumns, requireEndpoint } from "./_rows.ts";
import type { Delivery, DeliveryPath } from "./schema.ts";

/** A person looks at each outcome. For many events there is a replay. */
const REDELIVERIES = { name: "webhook-redeliveries", points: 60, seconds: 60 };

/**
 * Sends a delivery again at once under the same id, after any outcome.
 * @throws {AppError} not_found, rate_limited
 */
export async function redeliver(ctx: ProjectContext, path: DeliveryPath): Promise<Delivery> {
  await requireEndpoint(ctx, path);
  await ctx.limits.take(REDELIVERIES, path.webhookId, ctx.headers);
  return await transact(ctx, async (ctx) => {
    const { db, project, queue } = ctx;
    const [again] = await db<Delivery[]>`
      update outbound_deliveries d set status = 'pending', attempts = 0, next_attempt_at = now()
      where d.id = ${path.deliveryId}::uuid and d.endpoint_id = ${path.webhookId}::uuid and d.project_id = ${project.id}::uuid
      returning ${deliveryColumns(db)}`;
    if (!again) throw new AppError("not_found", "No such delivery of this webhook");
    await db`update outbound_endpoints set paused_until = null where id = ${path.webhookId}::uuid`;
    await queue.enqueue(db, "send-webhooks", { endpoint_id: path.webhookId });
    ctx.afterCommit(() => queue.wake("send-webhooks"));
    return again;
  });
}
