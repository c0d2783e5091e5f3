import type { Context } from "../core/context.ts";
import { readEvents } from "../core/events.ts";
import { transact } from "../core/transact.ts";
import { insertDeliveries, isFor } from "./_deliveries.ts";
import type { Endpoint } from "./schema.ts";

/** The most events in one transaction. */
const STEP = 500;

type Target = Pick<Endpoint, "id" | "project_id" | "types"> & { since_seq: number };

/**
 * Creates the deliveries of new events, and a job for each endpoint with due deliveries. There is
 * one job for a batch of deliveries, not one for each event. Deliveries and position commit
 * together, so that each event is handled exactly once, even if a process dies.
 */
export async function fanOutEvents(ctx: Context): Promise<void> {
  while (await transact(ctx, fanOutStep));
  await transact(ctx, enqueueDue);
}

async function fanOutStep({ db }: Context): Promise<boolean> {
  // If another process has the lock, nothing is done.
  const [cursor] = await db<{ seq: number }[]>`select seq from outbound_cursor for update skip locked`;
  if (!cursor) return false;
  const endpoints = await db<Target[]>`
    select id, project_id, types, since_seq from outbound_endpoints where enabled`;
  const projects = db`(select distinct project_id from outbound_endpoints where enabled)`;
  const [{ last_seq }] = await db<[{ last_seq: number }]>`select last_seq from event_counter`;
  const events = endpoints.length === 0
    ? []
    : await readEvents(db, { after: cursor.seq, limit: STEP, projects });
  const byProject = Map.groupBy(endpoints, ({ project_id }) => project_id);
  const deliveries = events.flatMap((event) =>
    (byProject.get(event.project_id) ?? [])
      .filter((endpoint) => event.seq > endpoint.since_seq && isFor(endpoint, event))
      .map((endpoint) => ({ endpoint, event }))
  );
  if (deliveries.length > 0) await insertDeliveries(db, deliveries, "once");
  const isFull = events.length === STEP;
  const seq = isFull ? events.at(-1)!.seq : Math.max(last_seq, events.at(-1)?.seq ?? 0);
  if (seq > cursor.seq) await db`update outbound_cursor set seq = ${seq}`;
  return isFull;
}

async function enqueueDue({ db, queue }: Context): Promise<void> {
  const due = await db<{ id: string }[]>`
    select e.id from outbound_endpoints e
    where e.enabled and (e.paused_until is null or e.paused_until <= now()) and exists (
      select from outbound_deliveries d where d.endpoint_id = e.id and d.status = 'pending' and d.next_attempt_at <= now())`;
  for (const { id } of due) await queue.enqueue(db, "send-webhooks", { endpoint_id: id });
}
