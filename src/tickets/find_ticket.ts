import { visibleProjects } from "../core/access.ts";
import type { ProjectContext } from "../core/context.ts";
import { AppError, invalidField } from "../core/errors.ts";
import { isTicketRef, keyOf, numberOf } from "./schema.ts";

/** A ticket that a call names beside the one that it is about. */
export interface NamedTicket {
  id: string;
  project_id: string;
  ticket_ref: string;
  status: string;
}

/**
 * Finds a ticket by its id or ref, in the project or in the whole account. A ticket that the caller
 * may not see counts as none.
 * @throws {AppError} invalid_request that names the field; conflict if its project is archived
 */
export async function findTicket(
  { db, actor, project }: ProjectContext,
  field: string,
  named: string,
  within: "project" | "account",
): Promise<NamedTicket> {
  const reach = within === "project"
    ? db`p.id = ${project.id}::uuid`
    : db`p.account_id = ${project.account_id}::uuid and p.id in ${visibleProjects(db, actor)}`;
  const fits = isTicketRef(named)
    ? db`t.number = ${numberOf(named)} and t.project_id in (
        select k.project_id from project_keys k where k.account_id = ${project.account_id}::uuid and k.key = ${
      keyOf(named)
    })`
    : db`t.id = ${named}::uuid`;
  const [ticket] = await db<(NamedTicket & { archived: boolean })[]>`
    select t.id, t.project_id, p.key || '-' || t.number as ticket_ref, t.status, p.archived_at is not null as archived
    from tickets t join projects p on p.id = t.project_id where ${fits} and ${reach}`;
  if (!ticket) throw invalidField(field, `No such ticket in this ${within}`);
  const { archived, ...found } = ticket;
  if (archived) throw new AppError("conflict", `The project of ${found.ticket_ref} is archived`);
  return found;
}
