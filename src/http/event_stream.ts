import { type Context as HonoContext, Hono } from "hono";
import { z } from "zod";
import type { ActorContext, Services } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { parseAs } from "../core/json.ts";
import { followEvents } from "../events/follow.ts";
import { type Batch, FollowEvents } from "../events/schema.ts";
import { startAfter } from "../events/start_after.ts";
import { STREAM } from "../routers/events.ts";
import { appErrorOf, requireActor } from "../routers/trpc.ts";
import { deadline } from "./deadline.ts";
import { paced } from "./paced.ts";
import type { Documented } from "./procedures.ts";
import { type HttpEnv, named, requestContext } from "./request.ts";

const encoder = new TextEncoder();

/** The milliseconds that a browser waits before it connects again. */
const RETRY_MS = 2_000;

const HEADERS = {
  "Content-Type": "text/event-stream",
  "Cache-Control": "no-store, no-transform",
  // Without this field, nginx would keep the events until its buffer is full.
  "X-Accel-Buffering": "no",
};

/** The stream as the OpenAPI document describes it. */
export const EVENT_STREAM: Documented = {
  name: "events.stream",
  meta: STREAM,
  input: FollowEvents,
  output: z.string(),
  pathFields: [],
  // Over REST, the header field replaces this field of the input.
  rest: FollowEvents.omit({ lastEventId: true }),
  needsBody: false,
};

/**
 * Sends the same events as `events.stream` of tRPC, in the form of server-sent events. Their ids
 * are the events' numbers.
 */
export function eventStreamRoutes(services: Services): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>();
  app.get("/events/stream", named("events.stream"), deadline(services), async (c) => {
    const ctx = await requestContext(c, services, { waits: true });
    try {
      return await open(c, requireActor(ctx, STREAM));
    } catch (error) {
      for (const [name, value] of ctx.headers) c.header(name, value, { append: true });
      throw appErrorOf(error);
    }
  });
  return app;
}

async function open(c: HonoContext<HttpEnv>, ctx: ActorContext): Promise<Response> {
  const { lastEventId, after, ...filter } = parseAs(FollowEvents, {
    ...c.req.query(),
    // A browser that connects again sends Last-Event-ID. `after` is then still in the address, so
    // the header wins.
    ...(c.req.header("last-event-id") && { lastEventId: c.req.header("last-event-id") }),
  });
  const { position, resync } = await startAfter(ctx, filter, lastEventId ?? after);
  for (const [name, value] of Object.entries(HEADERS)) ctx.headers.set(name, value);
  // Hono uses this handler for HEAD, too.
  if (c.req.method === "HEAD") return new Response(null, { headers: ctx.headers });
  const first = `retry: ${RETRY_MS}\n` + (resync ? `event: resync\ndata: {}\n` : `: ready\n`) +
    `id: ${position}\n\n`;
  return new Response(pulled(first, followEvents(ctx, filter, position)), { headers: ctx.headers });
}

/** A client that was disconnected because it stopped reading may resume where it stopped. */
function pulled(first: string, batches: AsyncGenerator<Batch>): ReadableStream<Uint8Array> {
  let begun = false;
  return paced({
    async next() {
      if (!begun) {
        begun = true;
        return encoder.encode(first);
      }
      const batch = await nextOf(batches);
      return batch && encoder.encode(written(batch));
    },
    drop: () => void batches.return(undefined),
  });
}

/**
 * Returns null at the end, and also when the credential has ended. The answer to the next
 * connection then has the reason.
 */
async function nextOf(batches: AsyncGenerator<Batch>): Promise<Batch | null> {
  try {
    const { done, value } = await batches.next();
    return done ? null : value;
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

/** An id without data changes the id from which a browser resumes. */
function written({ events, position }: Batch): string {
  if (events.length === 0) return `: still here\nid: ${position}\n\n`;
  return events.map((event) => `id: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n`).join("");
}
