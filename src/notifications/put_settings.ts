import { requirePerson } from "../core/access.ts";
import type { ActorContext } from "../core/context.ts";
import { invalidField } from "../core/errors.ts";
import { seal } from "../core/sealed.ts";
import { checkUrl, RefusedAddress } from "../sending/address.ts";
import { getNotificationSettings } from "./get_settings.ts";
import type { NotificationSettings, PutNotificationSettings } from "./schema.ts";

/**
 * @throws {AppError} forbidden for bot clients; invalid_request for a chat hook with an internal
 * address
 */
export async function putNotificationSettings(
  ctx: ActorContext,
  { mail, chat_url: url }: PutNotificationSettings,
): Promise<NotificationSettings> {
  const { db, actor } = ctx;
  requirePerson(actor, "A bot client may not change its owner's notifications");
  if (url) refuseInside(ctx, url);
  const sealed = url ? seal(ctx, "chatUrl", actor.user.id, url) : null;
  // Another hook hasn't asked for a rest.
  const chat = url === undefined ? db`` : db`chat_url = ${sealed}, chat_rests_until = null,`;
  await db`
    insert into notification_settings as s (user_id, mail, chat_url) values (${actor.user.id}::uuid, ${mail}, ${sealed})
    on conflict (user_id) do update set mail = excluded.mail, ${chat} updated_at = now()`;
  return await getNotificationSettings(ctx);
}

function refuseInside({ config }: ActorContext, url: string): void {
  try {
    checkUrl(url, config.WEBHOOK_ALLOWED_HOSTS);
  } catch (error) {
    if (!(error instanceof RefusedAddress)) throw error;
    throw invalidField("chat_url", error.message);
  }
}
