import { v7 as uuid } from "uuid";
import type { Context } from "../core/context.ts";
import { decrypt, encrypt } from "../core/encryption.ts";

/**
 * Mails the link to its user if mail is set up. The link is stored encrypted until it is sent. Call
 * it inside `transact`.
 */
export async function mailInvite(
  { db, secrets, mailer }: Context,
  userId: string,
  link: string,
): Promise<void> {
  if (!mailer) return;
  const id = uuid();
  await db`
    insert into messages (id, user_id, channel, kind, link)
    values (${id}::uuid, ${userId}::uuid, 'mail', 'invite', ${
    encrypt(secrets.encryption, link, placeOf(id))
  })`;
}

export function openInviteLink({ secrets }: Context, messageId: string, sealed: string): string {
  return decrypt(secrets.encryption, sealed, placeOf(messageId)).text;
}

function placeOf(messageId: string): string {
  return `invitation of message ${messageId}`;
}
