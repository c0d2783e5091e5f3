import { z } from "zod";
import { Author, Id, NextCursor, OffsetTime, Page, Timestamp } from "../core/schema.ts";
import { Priority, Stage, Status, TicketName } from "../tickets/schema.ts";

export const NotificationReason = z.enum([
  "question",
  "approval",
  "mention",
  "assigned",
  "comment",
  "change",
]);

const NotificationEvent = z.object({
  type: z.string().describe("Type of the event, as in the list of events"),
  entity: z.string(),
  entity_id: z.string(),
  actor: Author,
  at: Timestamp,
}).meta({ id: "NotificationEvent" });

/** A ticket in a list with tickets of other projects. */
export const TicketLine = z.object({
  id: Id,
  ticket_ref: z.string(),
  title: z.string(),
  stage: Stage,
  status: Status,
  priority: Priority,
  blocking: z.boolean(),
  url: z.string(),
}).meta({ id: "TicketLine" });

export const ProjectLine = z.object({ id: Id, key: z.string(), name: z.string() }).meta({
  id: "ProjectLine",
});

export const Notification = z.object({
  ticket: TicketLine,
  project: ProjectLine,
  reason: NotificationReason.describe(
    "The strongest reason since the ticket was last read in the inbox; the values are in order of strength",
  ),
  unread: z.boolean(),
  first_event: NotificationEvent.describe("The first unread event"),
  last_event: NotificationEvent,
  snoozed_until: Timestamp.nullable(),
  archived_at: Timestamp.nullable(),
}).meta({ id: "Notification" });
export type Notification = z.infer<typeof Notification>;

export const ListInbox = Page.extend({
  show: z.enum(["inbox", "unread", "snoozed", "archived"]).default("inbox").describe(
    "inbox: neither snoozed nor archived; unread: the unread part of the inbox",
  ),
});
export type ListInbox = z.infer<typeof ListInbox>;

export const Inbox = z.object({ notifications: z.array(Notification), next_cursor: NextCursor });

export const InboxCount = z.object({
  unread: z.int().describe("Unread tickets that are neither snoozed nor archived"),
});

const TicketIds = z.array(TicketName).min(1).max(200);
const Chosen = {
  ticket_ids: TicketIds.optional(),
  up_to: OffsetTime.optional().describe(
    "Takes all notifications whose last event is no later than this time",
  ),
};
const isChoice = ({ ticket_ids, up_to }: { ticket_ids?: unknown; up_to?: unknown }) =>
  (ticket_ids === undefined) !== (up_to === undefined);

export const ChooseNotifications = z.strictObject(Chosen).refine(isChoice, {
  error: "Send either ticket_ids or up_to",
  path: ["ticket_ids"],
});
export type ChooseNotifications = z.infer<typeof ChooseNotifications>;

export const RestoreNotifications = z.strictObject({ ticket_ids: TicketIds });
export type RestoreNotifications = z.infer<typeof RestoreNotifications>;

export const SnoozeNotifications = z.strictObject({
  ticket_ids: TicketIds,
  until: OffsetTime.nullable().describe("Null ends the snoozing"),
});
export type SnoozeNotifications = z.infer<typeof SnoozeNotifications>;

export const Updated = z.object({ updated: z.int() });
