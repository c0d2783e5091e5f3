import { v7 as uuid } from "uuid";
import type { ProjectContext } from "../core/context.ts";
import { transact } from "../core/transact.ts";
import { deliveryColumns, requireEndpoint } from "./_rows.ts";
import { TEST_TYPE } from "./_body.ts";
import type { Delivery, EndpointPath } from "./schema.ts";

/** The service must not be a hammer against a third party. */
const TESTS = { name: "webhook-tests", points: 10, seconds: 60 };

/** Enqueues a delivery without an event. @throws {AppError} not_found, rate_limited */
export async function sendTest(ctx: ProjectContext, path: EndpointPath): Promise<Delivery> {
  await requireEndpoint(ctx, path);
  await ctx.limits.take(TESTS, path.webhookId, ctx.headers);
  return await transact(ctx, async (ctx) => {
    const { db, project, queue } = ctx;
    const [made] = await db<[Delivery]>`
      insert into outbound_deliveries as d (id, endpoint_id, project_id, type)
      values (${uuid()}::uuid, ${path.webhookId}::uuid, ${project.id}::uuid, ${TEST_TYPE})
      returning ${deliveryColumns(db)}`;
    await queue.enqueue(db, "send-webhooks", { endpoint_id: path.webhookId });
    ctx.afterCommit(() => queue.wake("send-webhooks"));
    return made;
  });
}
