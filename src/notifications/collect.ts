import { v7 as uuid } from "uuid";
import type { Context } from "../core/context.ts";
import { jsonb } from "../core/json.ts";
import { transact } from "../core/transact.ts";

/** The most notifications in one transaction. */
const BATCH = 500;
/** The most messages that a person gets in ten minutes. What is urgent beyond it comes together in one. */
const PER_RECIPIENT = 10;
/** The most messages that one author causes in ten minutes. What is beyond it comes in digests. */
const PER_AUTHOR = 100;

interface DueNotice {
  user_id: string;
  account_id: string;
  ticket_id: string;
  author_id: string;
  urgent: boolean;
  mail: boolean;
  digest: boolean;
  chat: boolean;
  /** The messages that the person, and the author, may still get or cause. */
  room: number;
  author_room: number;
}

type Recipient = Pick<DueNotice, "user_id" | "account_id">;
type Channel = "mail" | "chat";

interface Message extends Recipient {
  id: string;
  channel: Channel;
  kind: "now" | "digest";
  ticket_ids: string[];
  author_id: string | null;
}

/**
 * Turns due notifications into messages. Each urgent notification becomes one message, within the
 * bounds of its recipient and its author. All other notifications of a person become one message
 * together, after they were unread for a quarter of an hour. A notification and its message change
 * in one transaction, so that none is lost or doubled.
 */
export async function collectNotifications(ctx: Context): Promise<void> {
  while (await transact(ctx, collectSome) === BATCH);
}

async function collectSome(ctx: Context): Promise<number> {
  const { db, mailer } = ctx;
  const recent = (column: "m.user_id" | "m.author_id", value: ReturnType<typeof db>) =>
    db`(select count(*)::integer from messages m where ${
      db(column)
    } = ${value} and m.created_at > now() - interval '10 minutes'
      and m.kind in ('now', 'digest'))`;
  const taken = await db<DueNotice[]>`
    with due as (
      select n.recipient_id, n.ticket_id, n.urgent from notifications n
      where n.undelivered and (n.urgent or n.last_at < now() - interval '15 minutes') and coalesce(n.snoozed_until <= now(), true)
        and ${recent("m.user_id", db`n.user_id`)} < ${PER_RECIPIENT}
      order by n.last_at limit ${BATCH} for update skip locked
    ), taken as (
      update notifications n set undelivered = false, urgent = false from due d
      where n.recipient_id = d.recipient_id and n.ticket_id = d.ticket_id
      returning n.user_id, n.recipient_id, n.ticket_id, d.urgent, n.last_event, n.last_at
    )
    select k.user_id, u.account_id, k.ticket_id, k.last_event -> 'actor' ->> 'id' as author_id, k.urgent,
      coalesce(s.mail, 'all') <> 'none' and ${
    mailer !== null
  } as mail, coalesce(s.mail, 'all') = 'all' as digest,
      s.chat_url is not null as chat, ${PER_RECIPIENT} - ${recent("m.user_id", db`k.user_id`)} as room,
      ${PER_AUTHOR} - ${recent("m.author_id", db`k.last_event -> 'actor' ->> 'id'`)} as author_room
    from taken k join users u on u.id = k.user_id and u.kind = 'human' and u.deactivated_at is null
      left join notification_settings s on s.user_id = k.user_id
    where k.recipient_id = k.user_id order by k.last_at`;
  await insertMessages(ctx, messagesOf(taken));
  return taken.length;
}

function messagesOf(taken: readonly DueNotice[]): Message[] {
  const caused = new Map<string, number>();
  const messages: Message[] = [];
  for (const mine of Map.groupBy(taken, ({ user_id }) => user_id).values()) {
    const digests: Record<Channel, string[]> = { mail: [], chat: [] };
    let single = 0;
    const urgent = mine.filter(({ urgent }) => urgent);
    for (const one of mine) {
      const channels = (["mail", "chat"] as const).filter((channel) => one[channel]);
      const cost = caused.get(one.author_id) ?? 0;
      // The last message is kept for the digest of what doesn't fit.
      const fits = urgent.length <= one.room || single < one.room - 1;
      if (one.urgent && fits && cost + channels.length <= one.author_room) {
        single++;
        caused.set(one.author_id, cost + channels.length);
        for (const channel of channels) {
          messages.push(messageOf(one, channel, "now", [one.ticket_id], one.author_id));
        }
      } else {
        for (const channel of channels) {
          if (one.urgent || (channel === "mail" && one.digest)) digests[channel].push(one.ticket_id);
        }
      }
    }
    for (const channel of ["mail", "chat"] as const) {
      if (digests[channel].length > 0) {
        messages.push(messageOf(mine[0]!, channel, "digest", digests[channel], null));
      }
    }
  }
  return messages;
}

function messageOf(
  { user_id, account_id }: Recipient,
  channel: Channel,
  kind: Message["kind"],
  ticket_ids: string[],
  author_id: string | null,
): Message {
  return { id: uuid(), user_id, account_id, channel, kind, ticket_ids, author_id };
}

async function insertMessages({ db }: Context, messages: readonly Message[]): Promise<void> {
  if (messages.length === 0) return;
  await db`
    insert into messages (id, user_id, account_id, channel, kind, ticket_ids, author_id)
    select m.id, m.user_id, m.account_id, m.channel, m.kind, m.ticket_ids, m.author_id
    from jsonb_to_recordset(${jsonb(db, messages)})
      as m (id uuid, user_id uuid, account_id uuid, channel text, kind text, ticket_ids uuid[], author_id text)`;
}
