import type { ActorContext } from "../core/context.ts";
import { chatUrlOf } from "./chat_url.ts";
import type { NotificationSettings } from "./schema.ts";

/** Returns the caller's settings for mail and chat. */
export async function getNotificationSettings(ctx: ActorContext): Promise<NotificationSettings> {
  const { db, actor, mailer } = ctx;
  const [row] = await db<{ mail: NotificationSettings["mail"]; chat_url: string | null }[]>`
    select mail, chat_url from notification_settings where user_id = ${actor.user.id}::uuid`;
  const url = chatUrlOf(ctx, actor.user.id, row?.chat_url ?? null);
  return {
    mail: row?.mail ?? "all",
    mail_available: mailer !== null,
    chat_host: url && new URL(url).host,
  };
}
