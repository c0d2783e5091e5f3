import { currentActor, requireProject } from "../core/access.ts";
import type { ActorContext } from "../core/context.ts";
import { readInTurn } from "../core/read_in_turn.ts";
import { openStream } from "./open_streams.ts";
import { isWanted, partOf, readPage, STREAMED } from "./_page.ts";
import { Place } from "./_place.ts";
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
 * checked again with each batch. A stream that lags behind the events in memory reads from the
 * database when it is its user's turn.
 * @throws {AppError} rate_limited at once; unauthenticated, forbidden or another refusal later, if
 * the caller's credential or access to the filter's project has ended
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
  using place = new Place(ctx.actor.user.id);
  const caller = new Caller(ctx, filter);
  while (!signal.aborted) {
    const recent = feed.recentAfter(position);
    if (recent) place.leave();
    else if (!await place.take({ seconds: silence(), signal })) {
      yield { events: [], position, more: true };
      continue;
    }
    // The turn may come late, so access is checked after it has come.
    const batch = recent
      ? await partOf(await caller.current(), filter, recent, position)
      : await readInTurn(ctx, async () => readPage(await caller.current(), filter, position, STREAMED));
    position = batch.position;
    if (batch.events.length > 0) yield batch;
    if (batch.more || await watch.next({ seconds: silence(), signal })) continue;
    position = Math.max(position, feed.position);
    if (!signal.aborted) yield { events: [], position, more: false };
  }
}

/** The caller who reads the stream, with current access. */
class Caller {
  readonly #filter: EventFilter;
  #ctx: ActorContext;
  #asked = performance.now();

  constructor(ctx: ActorContext, filter: EventFilter) {
    this.#ctx = ctx;
    this.#filter = filter;
  }

  /** @throws {AppError} unauthenticated or another refusal of the credential, or forbidden */
  async current(): Promise<ActorContext> {
    if (performance.now() - this.#asked >= BELIEVED_MS) {
      const actor = await currentActor(this.#ctx, "tickets:read");
      this.#asked = performance.now();
      this.#ctx = { ...this.#ctx, actor };
    }
    const { project_id } = this.#filter;
    if (project_id !== undefined) {
      await requireProject(this.#ctx, project_id, { needed: "viewer", denial: "forbidden" });
    }
    return this.#ctx;
  }
}
