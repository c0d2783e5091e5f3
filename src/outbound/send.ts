import type { Db } from "../../db/open.ts";
import type { Context } from "../core/context.ts";
import { readEvents } from "../core/events.ts";
import { log } from "../core/log.ts";
import { bodyOf, TEST_TYPE, type Told } from "./_body.ts";
import { findEndpoint, takeDue, type Taken, type Target } from "./_due.ts";
import { giveUp, putBack, recordAnswer } from "./_outcome.ts";
import { readableSecrets } from "./_secret.ts";
import { signedHeaders } from "./_sign.ts";

/**
 * The job ends before the queue would count it as dead. The next job sends the deliveries that are
 * left.
 */
const JOB_MS = 30_000;

/** The outcome of each try if the key with which the secret was encrypted is lost. */
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
  while (performance.now() < until && !ctx.signal.aborted) {
    const endpoint = await findEndpoint(ctx, endpoint_id);
    if (!endpoint) return;
    const taken = await takeDue(ctx, endpoint_id);
    if (taken.length === 0) return;
    const events = await eventsOf(ctx, endpoint, taken);
    const outcomes = await Promise.all(taken.map((delivery) => attempt(ctx, endpoint, { delivery, events })));
    if (outcomes.includes("unsent")) return;
    // A receiver that doesn't answer at all is not called for a while, so that it doesn't delay
    // deliveries to other receivers.
    if (outcomes.includes("unreachable")) return await pause(ctx, endpoint_id);
  }
}

async function eventsOf({ db }: Context, endpoint: Target, taken: Taken[]): Promise<Map<number, Told>> {
  const seqs = taken.flatMap(({ seq }) => seq === null ? [] : [seq]);
  if (seqs.length === 0) return new Map();
  const projects = db`(select ${endpoint.project_id}::uuid)`;
  const [more, ...pages] = await Promise.all([
    readMore(db, endpoint, seqs),
    ...seqs.map((seq) => readEvents(db, { after: seq - 1, limit: 1, projects })),
  ]);
  return new Map(pages.flat().map((event) => [event.seq, { ...event, ...more.get(event.seq) }]));
}

/** Reads the facts that a delivery to this endpoint contains in addition to the event. */
async function readMore(
  db: Db,
  { format, full }: Target,
  seqs: number[],
): Promise<Map<number, Pick<Told, "changes" | "prompt">>> {
  if (format === "slack") {
    const rows = await db<{ seq: number; prompt: string }[]>`
      select e.seq, q.prompt from events e join history h on h.id = e.history_id
        join questions q on q.id = case when h.entity = 'question' then h.entity_id::uuid end
      where e.seq = any (${seqs}::bigint[])`;
    return new Map(rows.map(({ seq, prompt }) => [seq, { prompt }]));
  }
  if (!full) return new Map();
  const rows = await db<{ seq: number; changes: NonNullable<Told["changes"]> | null }[]>`
    select e.seq, h.changes from events e join history h on h.id = e.history_id where e.seq = any (${seqs}::bigint[])`;
  return new Map(rows.map(({ seq, changes }) => [seq, { changes: changes ?? {} }]));
}

async function attempt(
  ctx: Context,
  endpoint: Target,
  { delivery, events }: { delivery: Taken; events: Map<number, Told> },
): Promise<"answered" | "unreachable" | "unsent"> {
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
  const sent = secrets.length > 0 ? await ctx.sender.post({ url: endpoint.url, headers, body }) : NO_SECRET;
  if ("failure" in sent && sent.failure === "unsent") {
    await putBack(ctx, id, sent.message);
    return "unsent";
  }
  await recordAnswer(ctx, endpoint, delivery, sent);
  return "failure" in sent && sent.failure === "unreachable" ? "unreachable" : "answered";
}

/** Pauses an endpoint for a quarter of the time that it has been failing, from 5 s to an hour. */
async function pause({ db }: Context, endpointId: string): Promise<void> {
  log.warn("a webhook's receiver does not answer", { webhook: endpointId });
  await db`
    update outbound_endpoints set paused_until = now() +
      least(greatest((now() - coalesce(failing_since, now())) / 4, interval '5 seconds'), interval '1 hour')
    where id = ${endpointId}::uuid`;
}
