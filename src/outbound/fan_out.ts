import type { Context } from "../core/context.ts";
import { type Event, readEvents } from "../core/events.ts";
import type { EventRange } from "../core/follower.ts";
import { insertDeliveries, isFor } from "./_deliveries.ts";
import type { Endpoint } from "./schema.ts";

type FanOutEndpoint = Pick<Endpoint, "id" | "project_id" | "types" | "format"> & {
  since_seq: number;
  is_paused: boolean;
};

/**
 * Creates the deliveries of events, and a job for each endpoint that gets some. There is one job
 * for a batch of deliveries, not one for each event.
 */
export async function fanOutEvents(ctx: Context, { after, last }: EventRange): Promise<void> {
  const { db, queue } = ctx;
  const endpoints = await db<FanOutEndpoint[]>`
    select id, project_id, types, format, since_seq, coalesce(paused_until > now(), false) as is_paused
    from outbound_endpoints where enabled`;
  if (endpoints.length === 0) return;
  const projects = db`(select distinct project_id from outbound_endpoints where enabled)`;
  const events = await readEvents(db, { after, last, limit: last - after, projects });
  const byProject = Map.groupBy(endpoints, ({ project_id }) => project_id);
  const made = new Set(events.filter(({ type }) => type === "ticket.created").map(actOf));
  const isPartOfCreation = (event: Event) =>
    event.type.endsWith(".created") && event.entity !== "ticket" && made.has(actOf(event));
  const deliveries = events.flatMap((event) =>
    (byProject.get(event.project_id) ?? [])
      .filter((endpoint) => event.seq > endpoint.since_seq && isFor(endpoint, event))
      // In a chat, a ticket's creation with its roles is one message.
      .filter(({ format, types }) => format !== "slack" || types !== null || !isPartOfCreation(event))
      .map((endpoint) => ({ endpoint, event }))
  );
  if (deliveries.length === 0) return;
  await insertDeliveries(db, deliveries, "once");
  const due = new Set(
    deliveries.filter(({ endpoint }) => !endpoint.is_paused).map(({ endpoint }) => endpoint.id),
  );
  for (const endpoint_id of due) await queue.enqueue(db, "send-webhooks", { endpoint_id });
  ctx.afterCommit(() => queue.wake("send-webhooks"));
}

/** Events of one ticket from one request. */
function actOf({ ticket, request_id }: Event): string {
  return `${ticket?.id} ${request_id}`;
}
