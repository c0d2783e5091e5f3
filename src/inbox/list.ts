import type { ActorContext } from "../core/context.ts";
import { decodeCursor, page } from "../core/cursor.ts";
import { waitForFollower } from "../core/follower.ts";
import { pageLimit } from "../core/planner.ts";
import { lineColumns } from "./lines.ts";
import { isMine, isVisible } from "./_mine.ts";
import type { ListInbox, Notification } from "./schema.ts";

/** Returns one page of the caller's notifications, the latest first. Each ticket has one row. */
export async function listInbox(ctx: ActorContext, { show, limit, cursor }: ListInbox) {
  await waitForFollower(ctx, "notifications");
  const { db } = ctx;
  const snoozed = db`coalesce(n.snoozed_until > now(), false)`;
  const shown = {
    inbox: db`n.archived_at is null and not ${snoozed}`,
    unread: db`n.archived_at is null and n.read_at is null and not ${snoozed}`,
    snoozed: db`n.archived_at is null and ${snoozed}`,
    archived: db`n.archived_at is not null`,
  }[show];
  const [at, id] = cursor ? decodeCursor(cursor, ["time", "id"]) as [string, string] : [];
  const after = at ? db`and (n.last_at, n.ticket_id) < (${at}::timestamptz, ${id!}::uuid)` : db``;
  const rows = await db<(Notification & { last_at: string })[]>`
    select ${
    lineColumns(ctx)
  }, n.reason, n.read_at is null as unread, n.first_event, n.last_event, n.snoozed_until,
      n.archived_at, n.last_at
    from notifications n join tickets t on t.id = n.ticket_id join projects p on p.id = n.project_id
    where ${isMine(ctx)} and ${isVisible(ctx)} and ${shown} ${after}
    order by n.last_at desc, n.ticket_id desc limit ${pageLimit(db, limit)}`;
  const { items, next_cursor } = page(rows, limit, ({ last_at, ticket }) => [last_at, ticket.id]);
  return { notifications: items, next_cursor };
}
