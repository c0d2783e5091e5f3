import { projectsFor, roleInProject, withinReach } from "../core/access.ts";
import type { ActorContext } from "../core/context.ts";
import type { ChooseNotifications } from "./schema.ts";

/**
 * Selects the notifications `n` of the caller. A person's API key has its own inbox, with the
 * notifications of its agent. A bot user has one inbox for all its credentials.
 */
export function isMine({ db, actor: { user, credential } }: ActorContext) {
  const recipient = credential.type === "key" && user.kind === "human" ? credential.id : user.id;
  const bound = credential.type === "key" ? credential.project_id : null;
  return db`n.recipient_id = ${recipient}::uuid ${bound ? db`and n.project_id = ${bound}::uuid` : db``}`;
}

/** Hides notifications from users who have lost the project. */
export function isVisible({ db, actor: { user } }: ActorContext) {
  return db`n.project_id in (
    select p.id from ${projectsFor(db, user.id)} where ${withinReach(db, user)} and ${
    roleInProject(db)
  } is not null)`;
}

/** Selects the notifications that a call names. */
export function isChosen({ db }: ActorContext, { ticket_ids, up_to }: ChooseNotifications) {
  return ticket_ids ? db`n.ticket_id = any (${ticket_ids}::uuid[])` : db`n.last_at <= ${up_to!}::timestamptz`;
}
