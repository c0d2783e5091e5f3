import { v7 as uuid } from "uuid";
import type { Context } from "../core/context.ts";
import { findDeciders } from "../projects/deciders.ts";

interface Admin {
  user_id: string;
  account_id: string;
  mail: boolean;
  chat: boolean;
}

/**
 * Tells the people who can mend a webhook that it was switched off, at once, by mail and by chat as
 * each of them has chosen. Their waiting lists show it until it is mended. Call it inside
 * `transact`.
 */
export async function tellAdmins(
  { db, mailer, queue }: Context,
  { id, project_id }: { id: string; project_id: string },
): Promise<void> {
  const [ids = []] = await findDeciders(db, [{ project_id, at_least: "admin", except: null }]);
  const admins = await db<Admin[]>`
    select a.id as user_id, u.account_id, coalesce(s.mail, 'all') <> 'none' and ${
    mailer !== null
  } as mail, s.chat_url is not null as chat
    from unnest(${ids}::uuid[]) as a (id) join users u on u.id = a.id left join notification_settings s on s.user_id = a.id`;
  const messages = admins.flatMap(({ user_id, account_id, mail, chat }) =>
    ([["mail", mail], ["chat", chat]] as const).filter(([, wanted]) => wanted)
      .map(([channel]) => ({ id: uuid(), user_id, account_id, channel, kind: "webhook", webhook_id: id }))
  );
  if (messages.length === 0) return;
  await db`insert into messages ${db(messages)}`;
  await queue.enqueue(db, "deliver-notifications", {});
}
