import { tracked } from "@trpc/server";
import { followEvents } from "../events/follow.ts";
import { listEvents } from "../events/list.ts";
import { EventPage, FollowEvents, ListEvents, StreamItem } from "../events/schema.ts";
import { startAfter } from "../events/start_after.ts";
import { type Meta, router, userProcedure } from "./trpc.ts";

const read = { method: "GET", access: "user", scope: "tickets:read", tag: "Events", waits: true } as const;

/**
 * REST and the OpenAPI document also need this meta, because a stream isn't published in the way of
 * the other procedures.
 */
export const STREAM = {
  ...read,
  path: "/events/stream",
  streams: StreamItem,
  summary: "Follow events as they come",
  description:
    "Server-sent events: `id` is the event's number, `data` the Event as JSON. A client that connects again " +
    "sends `Last-Event-ID` and misses nothing. An event named `resync` says that some events are no longer " +
    "available: read the state again. A comment every 15 s keeps the connection open. tRPC clients subscribe to " +
    "`events.stream`.",
  errors: ["forbidden", "not_found"],
} as const satisfies Meta;

export const eventsRouter = router({
  list: userProcedure({
    ...read,
    path: "/events",
    summary: "List events, or wait for them",
    description:
      "Lists every change of everything that the caller may see, once, in order, for 30 days. To follow, send " +
      "`next_after` as `after`, with `wait`. API keys without `tasks:read` get no events of tasks.",
    errors: ["forbidden", "not_found"],
  }).input(ListEvents).output(EventPage).query(({ ctx, input }) => listEvents(ctx, input)),

  stream: userProcedure(STREAM).input(FollowEvents).subscription(async function* ({ ctx, input }) {
    const { position, resync } = await startAfter(ctx, input, input.lastEventId ?? input.after);
    if (resync) yield tracked<StreamItem>(String(position), { type: "resync", seq: position });
    for await (const { events } of followEvents(ctx, input, position)) {
      for (const event of events) yield tracked<StreamItem>(String(event.seq), event);
    }
  }),
});
