import { currentActor } from "../core/access.ts";
import type { ActorContext } from "../core/context.ts";
import { openStream } from "./open_streams.ts";
import { isWanted, readOn } from "./_page.ts";
import type { Batch, EventFilter } from "./schema.ts";

/**
 * How long a stream may be silent, because proxies close a connection that is silent for a minute.
 * The time is chosen again for each pause, so that streams that began together don't all send at
 * the same moments.
 */
const silence = () => 10 + Math.random() * 5;
/**
 * The time after which a caller's access is checked again. Together with the time for which access
 * is cached, this stays below the 5 s in which a revocation takes effect.
 */
const BELIEVED_MS = 1_000;

/**
 * Yields events after `position` as they come, in batches. An empty batch means that there were no
 * events for a while. The stream ends when the client leaves or the service drains. Access is
 * checked again with each batch.
 * @throws {AppError} rate_limited at once; unauthenticated or another refusal later, if the
 * caller's credential has become invalid
 */
export function followEvents(
  ctx: ActorContext,
  filter: EventFilter,
  position: number,
): AsyncGenerator<Batch> {
  return openStream(ctx.actor.user.id, follow(ctx, filter, position));
}

async function* follow(ctx: ActorContext, filter: EventFilter, position: number): AsyncGenerator<Batch> {
  const { feed, signal } = ctx;
  using watch = feed.watch((event) => isWanted(ctx, filter, event));
  const caller = new Caller(ctx);
  while (!signal.aborted) {
    const batch = await readOn(await caller.current(), filter, position);
    position = batch.position;
    if (batch.events.length > 0) yield batch;
    if (batch.more || await watch.next({ seconds: silence(), signal })) continue;
    position = Math.max(position, feed.position);
    if (!signal.aborted) yield { events: [], position, more: false };
  }
}

/** The caller who reads the stream, with current access. */
class Caller {
  #ctx: ActorContext;
  #asked = performance.now();

  constructor(ctx: ActorContext) {
    this.#ctx = ctx;
  }

  async current(): Promise<ActorContext> {
    if (performance.now() - this.#asked < BELIEVED_MS) return this.#ctx;
    const actor = await currentActor(this.#ctx, "tickets:read");
    this.#asked = performance.now();
    return this.#ctx = { ...this.#ctx, actor };
  }
}
