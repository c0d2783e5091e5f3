import { z } from "zod";
import { ENTITIES, EVENT_TYPES } from "../core/event_types.ts";
import { Event } from "../core/events.ts";
import { Id, LargeInteger, LargeQueryInteger, queryInteger } from "../core/schema.ts";

const PATTERNS = [...EVENT_TYPES.keys(), ...Object.keys(ENTITIES).map((entity) => `${entity}.*`)];

/** A type of event, or all types of an entity, such as `task.*`. */
export const EventPattern = z.string()
  .refine((type) => PATTERNS.includes(type), { error: "No such type of event" })
  .meta({ enum: PATTERNS });

/** Types of events, in a query string: separated by commas, or as a repeated parameter. */
const Types = z.union([z.array(z.string()), z.string().transform((types) => types.split(","))], {
  error: "Expected types of events",
})
  .pipe(z.array(EventPattern).min(1).max(100))
  .meta({ type: "array", items: { type: "string", enum: PATTERNS } });

const filter = {
  project_id: Id.optional().describe(
    "Only events of this project; if absent, of all projects that the caller may see",
  ),
  types: Types.optional().describe("Only events of these types, such as `ticket.closed,task.*`"),
};
export type EventFilter = z.infer<z.ZodObject<typeof filter>>;

export const ListEvents = z.strictObject({
  ...filter,
  after: LargeQueryInteger.optional().describe(
    "The number after which to read: `next_after` of the last page, or 0 for the oldest event that is kept. When " +
      "absent: from now on",
  ),
  limit: queryInteger(1, 500, 100),
  wait: queryInteger(0, 50, 0).describe("Seconds to wait for an event if there is none yet"),
});
export type ListEvents = z.infer<typeof ListEvents>;

const RESYNC =
  "Events before this one were deleted, or `after` is from another database. Read the state again";

export const EventPage = z.object({
  events: z.array(Event),
  next_after: LargeInteger.describe("Send this as `after` to get the next page"),
  has_more: z.boolean().describe("True if more events exist already"),
  resync: z.boolean().describe(`${RESYNC}, and go on from \`next_after\``),
}).meta({ id: "EventPage" });
export type EventPage = z.infer<typeof EventPage>;

export const FollowEvents = z.strictObject({
  ...filter,
  after: LargeQueryInteger.optional().describe(
    "Number of the event after which to begin; if absent, only events from now on",
  ),
  lastEventId: LargeQueryInteger.optional().describe(
    "The same as the header Last-Event-ID, for clients that can't send headers",
  ),
});
export type FollowEvents = z.infer<typeof FollowEvents>;

/** An item that replaces events which are no longer stored. */
export const Resync = z.object({ type: z.literal("resync"), seq: LargeInteger }).describe(RESYNC)
  .meta({ id: "Resync" });

/** An item of the stream. */
export const StreamItem = z.union([Event, Resync]);
export type StreamItem = z.infer<typeof StreamItem>;

/** Events in order, and the number up to which there are no other events for this caller. */
export interface Batch {
  events: Event[];
  position: number;
  more: boolean;
}
