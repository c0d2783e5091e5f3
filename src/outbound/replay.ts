import type { ProjectContext } from "../core/context.ts";
import { readEvents } from "../core/events.ts";
import { transact } from "../core/transact.ts";
import { insertDeliveries, isFor } from "./_deliveries.ts";
import { getEndpoint } from "./get.ts";
import type { Replay } from "./schema.ts";

/** A call queues up to 5,000 events. */
const REPLAYS = { name: "webhook-replays", points: 10, seconds: 60 };

/**
 * Sends the events after a number again, under the ids of their first deliveries, so that a
 * receiver which knows the ids takes each event once.
 * @throws {AppError} not_found, rate_limited
 */
export async function replayEvents(ctx: ProjectContext, input: Replay) {
  const { since_seq: after, limit } = input;
  const endpoint = await getEndpoint(ctx, input);
  await ctx.limits.take(REPLAYS, input.webhookId, ctx.headers);
  return await transact(ctx, async (ctx) => {
    const { db, project, queue } = ctx;
    const events = await readEvents(db, { after, limit, projects: db`(select ${project.id}::uuid)` });
    const wanted = events.filter((event) => isFor(endpoint, event));
    await insertDeliveries(db, wanted.map((event) => ({ endpoint, event })), "again");
    await queue.enqueue(db, "send-webhooks", { endpoint_id: endpoint.id });
    ctx.afterCommit(() => queue.wake("send-webhooks"));
    return { queued: wanted.length, next_since_seq: events.length === limit ? events.at(-1)!.seq : null };
  });
}
