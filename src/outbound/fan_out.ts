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
  const inChats = toldInChats(events);
  const deliveries = events.flatMap((event) =>
    (byProject.get(event.project_id) ?? [])
      .filter((endpoint) => event.seq > endpoint.since_seq && isFor(endpoint, event))
      .filter(({ format, types }) => format !== "slack" || types !== null || inChats.has(event))
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

/**
 * Leaves out what a chat needn't be told, because one act is one message there: what comes with a
 * ticket's creation or closing, and all but the first of several events of one type. What somebody
 * asks or says is told each time.
 */
function toldInChats(events: readonly Event[]): Set<Event> {
  const acts = Map.groupBy(events, ({ seq, ticket, request_id }) => `${ticket?.id} ${request_id ?? seq}`);
  return new Set(
    Array.from(acts.values(), (act) => {
      const lead = act.find(({ type }) => type === "ticket.created" || type === "ticket.closed");
      const types = new Set<string>();
      return act.filter((event) => {
        if (isSaid(event) && lead?.type !== "ticket.created") return true;
        return lead ? event === lead : types.size < types.add(event.type).size;
      });
    }).flat(),
  );
}

function isSaid({ type }: Event): boolean {
  return type === "question.created" || type === "comment.created";
}
