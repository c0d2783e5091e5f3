import { v7 as uuid } from "uuid";
import type { Context } from "../core/context.ts";
import { jsonb } from "../core/json.ts";
import { transact } from "../core/transact.ts";

/** The most notifications in one transaction. */
const BATCH = 500;

interface Taken {
  user_id: string;
  ticket_id: string;
  urgent: boolean;
  mail: boolean;
  digest: boolean;
  chat: boolean;
}

interface Message {
  id: string;
  user_id: string;
  channel: "mail" | "chat";
  kind: "now" | "digest";
  ticket_ids: string[];
}

/**
 * Turns due notifications into messages. Each urgent notification becomes one message. All other
 * notifications of a person become one message together, after they were unread for a quarter of an
 * hour. A notification and its message change in one transaction, so that none is lost or doubled.
 */
export async function collectNotifications(ctx: Context): Promise<void> {
  while (await transact(ctx, collectSome) === BATCH);
}

async function collectSome(ctx: Context): Promise<number> {
  const { db, mailer } = ctx;
  const taken = await db<Taken[]>`
    with due as (
      select n.recipient_id, n.ticket_id, n.urgent from notifications n
      where n.undelivered and (n.urgent or n.last_at < now() - interval '15 minutes') and coalesce(n.snoozed_until <= now(), true)
      order by n.last_at limit ${BATCH} for update skip locked
    ), taken as (
      update notifications n set undelivered = false, urgent = false from due d
      where n.recipient_id = d.recipient_id and n.ticket_id = d.ticket_id
      returning n.user_id, n.recipient_id, n.ticket_id, d.urgent
    )
    select k.user_id, k.ticket_id, k.urgent, coalesce(s.mail, 'all') <> 'none' and ${mailer !== null} as mail,
      coalesce(s.mail, 'all') = 'all' as digest, s.chat_url is not null as chat
    from taken k join users u on u.id = k.user_id and u.kind = 'human' and u.deactivated_at is null
      left join notification_settings s on s.user_id = k.user_id
    where k.recipient_id = k.user_id`;
  await insertMessages(ctx, [...urgentOf(taken), ...digestsOf(taken)]);
  return taken.length;
}

function urgentOf(taken: readonly Taken[]): Message[] {
  return taken.filter(({ urgent }) => urgent).flatMap(({ user_id, ticket_id, mail, chat }) =>
    ([["mail", mail], ["chat", chat]] as const).filter(([, wanted]) => wanted)
      .map(([channel]) => ({ id: uuid(), user_id, channel, kind: "now", ticket_ids: [ticket_id] }))
  );
}

function digestsOf(taken: readonly Taken[]): Message[] {
  const rest = taken.filter(({ urgent, mail, digest }) => !urgent && mail && digest);
  return Array.from(Map.groupBy(rest, ({ user_id }) => user_id), ([user_id, some]) => ({
    id: uuid(),
    user_id,
    channel: "mail",
    kind: "digest",
    ticket_ids: some.map(({ ticket_id }) => ticket_id),
  }));
}

async function insertMessages({ db }: Context, messages: readonly Message[]): Promise<void> {
  if (messages.length === 0) return;
  await db`
    insert into messages (id, user_id, channel, kind, ticket_ids)
    select m.id, m.user_id, m.channel, m.kind, m.ticket_ids
    from jsonb_to_recordset(${
    jsonb(db, messages)
  }) as m (id uuid, user_id uuid, channel text, kind text, ticket_ids uuid[])`;
}
