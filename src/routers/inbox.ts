import { archiveInbox } from "../inbox/archive.ts";
import { countInbox } from "../inbox/count.ts";
import { listInbox } from "../inbox/list.ts";
import { markInboxRead } from "../inbox/mark_read.ts";
import {
  ChooseNotifications,
  Inbox,
  InboxCount,
  ListInbox,
  RestoreNotifications,
  SnoozeNotifications,
  Updated,
} from "../inbox/schema.ts";
import { restoreInbox } from "../inbox/restore.ts";
import { snoozeInbox } from "../inbox/snooze.ts";
import { Empty, router, userProcedure } from "./trpc.ts";

const read = { access: "user", scope: "tickets:read", tag: "Inbox" } as const;
const write = { access: "user", scope: "tickets:write", tag: "Inbox" } as const;
const ids = ["0190d3c1-6c7a-7bd1-a0f5-6d1f3c2b9e10"];

export const inboxRouter = router({
  list: userProcedure({
    ...read,
    method: "GET",
    path: "/inbox",
    summary: "List the caller's notifications, latest first",
    description:
      "Gives one row for each ticket, no matter how much happens there. A person's API key has its own inbox " +
      "with the answers to the questions that this key asked.",
  }).input(ListInbox).output(Inbox).query(({ ctx, input }) => listInbox(ctx, input)),

  count: userProcedure({
    ...read,
    method: "GET",
    path: "/inbox/count",
    summary: "Count the unread tickets of the caller's inbox",
    example: { output: { unread: 3 } },
  }).input(Empty).output(InboxCount).query(({ ctx }) => countInbox(ctx)),

  read: userProcedure({
    ...write,
    method: "POST",
    path: "/inbox/read",
    summary: "Mark notifications as read",
    description:
      "Takes the named tickets, or everything up to a time. Notifications that were read are no longer mailed.",
    conditions: { minProperties: 1, maxProperties: 1 },
    example: { input: { ticket_ids: ids }, output: { updated: 1 } },
  }).input(ChooseNotifications).output(Updated).mutation(({ ctx, input }) => markInboxRead(ctx, input)),

  snooze: userProcedure({
    ...write,
    method: "POST",
    path: "/inbox/snooze",
    summary: "Hide notifications until a time",
    example: { input: { ticket_ids: ids, until: "2026-12-01T08:00:00.000Z" }, output: { updated: 1 } },
  }).input(SnoozeNotifications).output(Updated).mutation(({ ctx, input }) => snoozeInbox(ctx, input)),

  archive: userProcedure({
    ...write,
    method: "POST",
    path: "/inbox/archive",
    summary: "Archive notifications",
    description:
      "Takes the named tickets, or everything up to a time. The next event on an archived ticket brings its notification back.",
    conditions: { minProperties: 1, maxProperties: 1 },
    example: { input: { ticket_ids: ids }, output: { updated: 1 } },
  }).input(ChooseNotifications).output(Updated).mutation(({ ctx, input }) => archiveInbox(ctx, input)),

  restore: userProcedure({
    ...write,
    method: "POST",
    path: "/inbox/restore",
    summary: "Take notifications out of the archive",
    example: { input: { ticket_ids: ids }, output: { updated: 1 } },
  }).input(RestoreNotifications).output(Updated).mutation(({ ctx, input }) => restoreInbox(ctx, input)),
});
