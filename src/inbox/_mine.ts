import { projectsFor, roleInProject, withinReach } from "../core/access.ts";
import type { ActorContext } from "../core/context.ts";
import type { ChooseNotifications } from "./schema.ts";

/**
 * The notifications `n` of the caller. A person's API key has an inbox of its own: what its agent is told. A bot user has
 * one, whatever it calls with.
 */
export function isMine({ db, actor: { user, credential } }: ActorContext) {
  const recipient = credential.type === "key" && user.kind === "human" ? credential.id : user.id;
  const bound = credential.type === "key" ? credential.project_id : null;
  return db`n.recipient_id = ${recipient}::uuid ${bound ? db`and n.project_id = ${bound}::uuid` : db``}`;
}

/** Whoever has lost a project isn't told of it any more. */
export function isVisible({ db, actor: { user } }: ActorContext) {
  return db`n.project_id in (
    select p.id from ${projectsFor(db, user.id)} where ${withinReach(db, user)} and ${
    roleInProject(db)
  } is not null)`;
}

/** Which of them a call names. */
export function isChosen({ db }: ActorContext, { ticket_ids, up_to }: ChooseNotifications) {
  return ticket_ids ? db`n.ticket_id = any (${ticket_ids}::uuid[])` : db`n.last_at <= ${up_to!}::timestamptz`;
}
