import type { Db } from "../../db/open.ts";
import type { Context } from "../core/context.ts";
import { readEventsOf } from "../core/events.ts";
import { log } from "../core/log.ts";
import { bodyOf, TEST_TYPE, type Told } from "./_body.ts";
import { type DueDelivery, findEndpoint, type SendingEndpoint, takeDue } from "./_due.ts";
import { giveUp, putBack, recordAnswer } from "./_outcome.ts";
import { planRetry } from "./_retry.ts";
import { LONGEST_S } from "./_schedule.ts";
import { readableSecrets, readableUrl } from "./_secret.ts";
import { signedHeaders } from "./_sign.ts";

/**
 * The job ends before the queue would count it as dead. The next job sends the deliveries that are
 * left.
 */
const JOB_MS = 30_000;

/** The outcomes of each try if the key with which the address or the secret was encrypted is lost. */
const NO_ADDRESS = {
  failure: "refused",
  message: "The address can no longer be decrypted: give the webhook its url again",
} as const;
const NO_SECRET = {
  failure: "refused",
  message: "The secret can no longer be decrypted: give the webhook a new one by rotate-secret",
} as const;

/**
 * Sends the due deliveries of one endpoint. Each delivery is taken for a minute. If the process
 * dies, the next one sends it, and the receiver recognizes a repeat by its id.
 */
export async function sendWebhooks(ctx: Context, { endpoint_id }: { endpoint_id: string }): Promise<void> {
  const until = performance.now() + JOB_MS;
  while (performance.now() < until && !ctx.signal.aborted && await sendSome(ctx, endpoint_id));
  await planRetry(ctx, endpoint_id);
}

/** Returns false if the endpoint rests or has no due deliveries. */
async function sendSome(ctx: Context, endpointId: string): Promise<boolean> {
  const endpoint = await findEndpoint(ctx, endpointId);
  if (!endpoint) return false;
  const taken = await takeDue(ctx, endpointId);
  if (taken.length === 0) return false;
  const events = await eventsOf(ctx, endpoint, taken);
  const results = await Promise.all(taken.map((delivery) => attempt(ctx, endpoint, { delivery, events })));
  if (results.includes("unsent")) return false;
  const seconds = Math.max(...results.map((result) => typeof result === "number" ? result : 0));
  if (seconds > 0) return await rest(ctx, endpointId, seconds);
  return results.includes("unreachable") ? await pause(ctx, endpointId) : true;
}

async function eventsOf(
  { db }: Context,
  endpoint: SendingEndpoint,
  taken: DueDelivery[],
): Promise<Map<number, Told>> {
  const seqs = taken.flatMap(({ seq }) => seq === null ? [] : [seq]);
  if (seqs.length === 0) return new Map();
  const [more, events] = await Promise.all([readMore(db, endpoint, seqs), readEventsOf(db, seqs)]);
  return new Map(events.map((event) => [event.seq, { ...event, ...more.get(event.seq) }]));
}

/** Reads the facts that a delivery to this endpoint contains in addition to the event. */
async function readMore(
  db: Db,
  { format, full, types }: SendingEndpoint,
  seqs: number[],
): Promise<Map<number, Pick<Told, "changes" | "text" | "count">>> {
  if (format === "slack") {
    const rows = await db<{ seq: number; text: string | null; count: number }[]>`
      select e.seq, coalesce(q.prompt, c.body) as text, case when h.action = 'created' and ${
      types === null
    } then (
          select count(*)::integer from history o
          where o.ticket_id = h.ticket_id and o.request_id = h.request_id and o.entity = h.entity and o.action = 'created')
        else 1 end as count
      from events e join history h on h.id = e.history_id
        left join questions q on q.id = case when h.entity = 'question' then h.entity_id::uuid end
        left join comments c on c.id = case when h.entity = 'comment' then h.entity_id::uuid end
      where e.seq = any (${seqs}::bigint[])`;
    return new Map(rows.map(({ seq, text, count }) => [seq, text === null ? { count } : { text }]));
  }
  if (!full) return new Map();
  const rows = await db<{ seq: number; changes: NonNullable<Told["changes"]> | null }[]>`
    select e.seq, h.changes from events e join history h on h.id = e.history_id where e.seq = any (${seqs}::bigint[])`;
  return new Map(rows.map(({ seq, changes }) => [seq, { changes: changes ?? {} }]));
}

/** Returns the outcome, or the seconds for which the receiver wants to be left alone. */
async function attempt(
  ctx: Context,
  endpoint: SendingEndpoint,
  { delivery, events }: { delivery: DueDelivery; events: Map<number, Told> },
): Promise<"answered" | "unreachable" | "unsent" | number> {
  const { id, seq } = delivery;
  const now = new Date();
  const told = seq === null
    ? { type: TEST_TYPE, at: now.toISOString(), project_id: endpoint.project_id } as const
    : events.get(seq);
  if (!told) {
    await giveUp(ctx, id, "The event is no longer kept");
    return "answered";
  }
  const body = bodyOf(endpoint, told, ctx.config.PUBLIC_URL);
  const secrets = readableSecrets(ctx, endpoint);
  const headers = signedHeaders(`msg_${id}`, Math.floor(now.getTime() / 1000), body, secrets);
  const url = readableUrl(ctx, endpoint);
  const sent = url === null
    ? NO_ADDRESS
    : secrets.length === 0
    ? NO_SECRET
    : await ctx.sender.post({ url, headers, body });
  if ("failure" in sent && sent.failure === "unsent") {
    await putBack(ctx, id, sent.message);
    return "unsent";
  }
  await recordAnswer(ctx, endpoint, delivery, sent);
  if ("failure" in sent) return sent.failure === "unreachable" ? "unreachable" : "answered";
  return sent.status >= 300 && sent.retryAfter ? Math.min(sent.retryAfter, LONGEST_S) : "answered";
}

/** Leaves a receiver alone for the time that it asked for. */
async function rest({ db }: Context, endpointId: string, seconds: number): Promise<false> {
  await db`
    update outbound_endpoints set paused_until = now() + make_interval(secs => ${seconds}) where id = ${endpointId}::uuid`;
  return false;
}

/**
 * Pauses an endpoint whose receiver doesn't answer at all for a quarter of the time that it has been failing,
 * from 5 s to an hour, so that it doesn't delay deliveries to other receivers.
 */
async function pause({ db }: Context, endpointId: string): Promise<false> {
  log.warn("a webhook's receiver does not answer", { webhook: endpointId });
  await db`
    update outbound_endpoints set paused_until = now() +
      least(greatest((now() - coalesce(failing_since, now())) / 4, interval '5 seconds'), interval '1 hour')
    where id = ${endpointId}::uuid`;
  return false;
}
