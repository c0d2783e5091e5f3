import { roleInProject } from "../core/access.ts";
import type { ProjectContext } from "../core/context.ts";
import { invalidField } from "../core/errors.ts";
import { inOrder } from "../core/in_order.ts";
import { findTicket, type NamedTicket } from "./find_ticket.ts";
import type { ResolutionType, Stage } from "./schema.ts";

/**
 * Marks closed tickets of the project as duplicates of another one. Their watchers watch the
 * other one. Call it behind the locks of all these tickets and of the account's graph.
 * @throws {AppError} invalid_request if the other one is itself a duplicate of one of them
 */
export async function markDuplicates(
  { db, project }: ProjectContext,
  ticketIds: readonly string[],
  otherId: string,
): Promise<void> {
  const ids = [...ticketIds];
  const [ring] = await db<{ id: string }[]>`
    with recursive originals (id) as (
      select ${otherId}::uuid union
      select d.duplicate_of from originals o join ticket_duplicates d on d.ticket_id = o.id
    )
    select id from originals where id = any (${ids}::uuid[]) limit 1`;
  if (ring) throw invalidField("duplicate_of", "Is itself a duplicate of this ticket");
  // A ticket that was a duplicate of another one before, is none of that one any more.
  await inOrder(
    db`delete from ticket_duplicates where ticket_id = any (${ids}::uuid[]) and duplicate_of <> ${otherId}::uuid`,
    db`
      insert into ticket_duplicates (ticket_id, project_id, duplicate_of, ref)
      select t, ${project.id}::uuid, o.id, case when o.project_id = ${project.id}::uuid then ${project.key} || '-' || o.number end
      from unnest(${ids}::uuid[]) t, tickets o where o.id = ${otherId}::uuid on conflict do nothing`,
    // Only those who see the other one can watch it.
    db`
      insert into watchers (ticket_id, user_id, project_id, reason)
      select distinct o.id, u.id, o.project_id, 'duplicate' from (
        select created_by as user_id from tickets where id = any (${ids}::uuid[]) union
        select assignee_user_id from tickets where id = any (${ids}::uuid[]) union
        select user_id from watchers where ticket_id = any (${ids}::uuid[]) and not muted
      ) w join users u on u.id = w.user_id and u.kind = 'human'
        join tickets o on o.id = ${otherId}::uuid join projects p on p.id = o.project_id
        left join project_members m on m.project_id = p.id and m.user_id = u.id
      where ${roleInProject(db)} is not null
      order by u.id on conflict do nothing`,
  );
}

/** Only what is closed as a duplicate has an original. @throws {AppError} invalid_request */
export function refuseStrayDuplicate(
  duplicateOf: string | undefined,
  after: Stage,
  resolution: ResolutionType | null | undefined,
): void {
  if (duplicateOf === undefined || after === "live" && resolution === "duplicate") return;
  throw invalidField(
    "duplicate_of",
    "Only a ticket that is closed with the resolution_type duplicate has one",
  );
}

/** Finds the ticket of which others are duplicates. @throws {AppError} invalid_request */
export async function findOriginal(
  ctx: ProjectContext,
  duplicateOf: string | undefined,
): Promise<NamedTicket | undefined> {
  return duplicateOf === undefined
    ? undefined
    : await findTicket(ctx, "duplicate_of", duplicateOf, "account");
}

export function refuseItself(ticketIds: readonly string[], original: NamedTicket | undefined): void {
  if (original && ticketIds.includes(original.id)) throw invalidField("duplicate_of", "Is the ticket itself");
}
