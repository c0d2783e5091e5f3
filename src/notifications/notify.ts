import type { Context } from "../core/context.ts";
import type { EventRange } from "../core/follower.ts";
import { jsonb } from "../core/json.ts";
import type { Author } from "../core/schema.ts";
import { readTicketEvents, type TicketEvent } from "./_events.ts";
import { noticesOf, type Reason, REASONS, URGENT } from "./_reasons.ts";
import { type Addressee, findAddressees } from "./_recipients.ts";

/** A notice for one addressee. */
interface Telling extends Addressee {
  event: TicketEvent;
  reason: Reason;
}

/** The rows of `notifications` that a batch of events leaves. */
interface NoticeRow {
  recipient_id: string;
  user_id: string;
  ticket_id: string;
  project_id: string;
  reason: Reason;
  first_event: object;
  last_event: object;
  last_at: string;
  urgent: boolean;
}

/**
 * Notifies those whom events concern: event, reasons, recipients, rows. Each recipient has one row for
 * a ticket. The strongest reason since the last reading stays in it.
 */
export async function notifyOf(ctx: Context, range: EventRange): Promise<void> {
  const { db, queue } = ctx;
  const notices = (await readTicketEvents(db, range)).flatMap(noticesOf);
  if (notices.length === 0) return;
  const addressees = await findAddressees(db, notices);
  const tellings = notices.flatMap((notice) =>
    addressees.get(notice)!.map((addressee) => ({ ...addressee, event: notice.event, reason: notice.reason }))
  );
  const rows = fold(await withRecipients(db, tellings));
  if (rows.length === 0) return;
  await storeRows(db, rows);
  if (!rows.some(({ urgent }) => urgent)) return;
  await queue.enqueue(db, "deliver-notifications", {});
  ctx.afterCommit(() => queue.wake("deliver-notifications"));
}

/**
 * Adds the recipient of each telling, and leaves out tellings of a recipient's own act, of a muted
 * ticket and of a project that the user can't see. A bot user is one agent, with all of
 * its keys. Each key of a person's is an agent of its own, and an agent is told of a muted ticket too.
 */
async function withRecipients(
  db: Context["db"],
  tellings: readonly Telling[],
): Promise<(Telling & { recipient_id: string })[]> {
  const asked = tellings.map(({ user_id, key_id, event: { ticket_id, project_id, actor } }) => ({
    user_id,
    key_id,
    ticket_id,
    project_id,
    ...authorOf(actor),
  }));
  if (asked.length === 0) return [];
  const rows = await db<{ place: number; recipient_id: string }[]>`
    select t.place, r.id as recipient_id
    from jsonb_to_recordset(${jsonb(db, asked.map((one, place) => ({ ...one, place })))})
      as t (place integer, user_id uuid, key_id uuid, ticket_id uuid, project_id uuid, author_id uuid, author_key uuid)
    join users u on u.id = t.user_id
    left join users a on a.id = t.author_id
    cross join lateral (
      select case when t.key_id is not null and u.kind = 'human' then t.key_id else u.id end as id,
        case when t.author_key is not null and a.kind = 'human' then t.author_key else a.id end as author
    ) r
    where r.id is distinct from r.author and role_of_user(u.id, t.project_id) is not null
      and (r.id <> u.id or not exists (
        select from watchers w where w.ticket_id = t.ticket_id and w.user_id = u.id and w.muted))
    order by t.place`;
  return rows.map(({ place, recipient_id }) => ({ ...tellings[place]!, recipient_id }));
}

function authorOf(actor: Author): { author_id: string | null; author_key: string | null } {
  if (actor.kind === "key") return { author_id: actor.id, author_key: actor.key_id ?? null };
  return { author_id: actor.kind === "user" ? actor.id : null, author_key: null };
}

/** Makes one row of all that a recipient is told of a ticket. */
function fold(tellings: readonly (Telling & { recipient_id: string })[]): NoticeRow[] {
  const groups = Map.groupBy(tellings, ({ recipient_id, event }) => `${recipient_id} ${event.ticket_id}`);
  return Array.from(groups.values(), (some) => {
    const [first, last] = [some[0]!, some.at(-1)!];
    const strengths = some.map(({ reason }) => REASONS.indexOf(reason));
    return {
      recipient_id: first.recipient_id,
      user_id: first.user_id,
      ticket_id: first.event.ticket_id,
      project_id: first.event.project_id,
      reason: REASONS[Math.max(...strengths)]!,
      first_event: shownEvent(first.event),
      last_event: shownEvent(last.event),
      last_at: last.event.at,
      urgent: some.some(({ reason }) => URGENT.has(reason)),
    };
  });
}

function shownEvent({ type, entity, entity_id, actor, at }: TicketEvent): object {
  return { type, entity, entity_id, actor, at };
}

/** Rows are written in one order, so that an inbox's own calls and this don't deadlock. */
async function storeRows(db: Context["db"], rows: readonly NoticeRow[]): Promise<void> {
  const strength = (reason: string) => db`array_position(${[...REASONS]}::text[], ${db(reason)})`;
  await db`
    insert into notifications as n (recipient_id, user_id, ticket_id, project_id, reason, first_event, last_event, last_at,
      undelivered, urgent)
    select recipient_id, user_id, ticket_id, project_id, reason, first_event, last_event, last_at, true, urgent
    from jsonb_to_recordset(${jsonb(db, rows)})
      as r (recipient_id uuid, user_id uuid, ticket_id uuid, project_id uuid, reason text, first_event jsonb,
        last_event jsonb, last_at timestamptz, urgent boolean)
    order by recipient_id, ticket_id
    on conflict (recipient_id, ticket_id) do update set
      reason = case when n.read_at is null and ${strength("n.reason")} > ${strength("excluded.reason")}
        then n.reason else excluded.reason end,
      first_event = case when n.read_at is null then n.first_event else excluded.first_event end,
      last_event = excluded.last_event, last_at = excluded.last_at, read_at = null, archived_at = null,
      undelivered = true, urgent = excluded.urgent or (n.urgent and n.undelivered)`;
}
