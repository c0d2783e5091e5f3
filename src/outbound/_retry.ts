import type { Context } from "../core/context.ts";

/** Tries within so many seconds share a job. */
const SLOT_S = 5;

/** Creates the job for the next try of an endpoint's deliveries, if one is planned. */
export async function planRetry({ db, queue }: Context, endpointId: string): Promise<void> {
  const [next] = await db<{ at: number; seconds: number }[]>`
    select extract(epoch from n.at)::float8 as at, extract(epoch from n.at - now())::float8 as seconds
    from outbound_endpoints e cross join lateral (
      select greatest(min(d.next_attempt_at), e.paused_until) as at from outbound_deliveries d
      where d.endpoint_id = e.id and d.status = 'pending' and d.next_attempt_at is not null
    ) n where e.id = ${endpointId}::uuid and e.enabled and n.at is not null`;
  if (!next) return;
  const slot = Math.ceil(next.at / SLOT_S);
  const startAfterSeconds = Math.max(1, Math.ceil(slot * SLOT_S - next.at + next.seconds));
  await queue.enqueue(db, "retry-webhooks", { slot }, { startAfterSeconds });
}
