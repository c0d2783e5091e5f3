import { projectsFor, roleInProject, withinReach } from "../core/access.ts";
import type { ActorContext } from "../core/context.ts";
import { isTicketRef, keyOf, numberOf } from "../tickets/schema.ts";
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
export function isChosen(ctx: ActorContext, { ticket_ids, up_to }: ChooseNotifications) {
  return ticket_ids ? isOfTickets(ctx, ticket_ids) : ctx.db`n.last_at <= ${up_to!}::timestamptz`;
}

/**
 * Selects the notifications of tickets, by id or ref. Use it together with `isMine`, because
 * several accounts may have a project of the same key.
 */
export function isOfTickets({ db }: ActorContext, names: readonly string[]) {
  const refs = names.filter(isTicketRef);
  const ids = names.filter((name) => !isTicketRef(name));
  const named = refs.length === 0 ? db`` : db`
    or n.ticket_id in (
      select t.id from unnest(${refs.map(keyOf)}::text[], ${refs.map(numberOf)}::int[]) as r (key, number)
      join project_keys k on k.key = r.key join tickets t on t.project_id = k.project_id and t.number = r.number)`;
  return db`(n.ticket_id = any (${ids}::uuid[]) ${named})`;
}
