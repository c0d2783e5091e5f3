import type { ActorContext } from "../core/context.ts";
import { readInTurn } from "../core/read_in_turn.ts";
import { followEvents } from "./follow.ts";
import { readPage } from "./_page.ts";
import type { Batch, EventPage, ListEvents } from "./schema.ts";
import { startAfter } from "./start_after.ts";

/**
 * Returns a page of the events after a number; with `wait`, the first events within that number of
 * seconds.
 * @throws {AppError} forbidden
 */
export async function listEvents(ctx: ActorContext, input: ListEvents): Promise<EventPage> {
  const { after, limit, wait } = input;
  const { position, resync } = await startAfter(ctx, input, after);
  if (resync) return { events: [], next_after: position, has_more: false, resync };
  if (wait === 0) return toPage(await readInTurn(ctx, () => readPage(ctx, input, position, limit)));
  const signal = AbortSignal.any([ctx.signal, AbortSignal.timeout(wait * 1000)]);
  let last: Batch = { events: [], position, more: false };
  for await (last of followEvents({ ...ctx, signal }, input, position)) {
    const { events } = last;
    if (events.length > limit) {
      return toPage({ events: events.slice(0, limit), position: events[limit - 1]!.seq, more: true });
    }
    if (events.length > 0) return toPage(last);
  }
  return toPage(last);
}

function toPage({ events, position, more }: Batch): EventPage {
  return { events, next_after: position, has_more: more, resync: false };
}
