import type { Fragment } from "../../db/open.ts";
import type { ProjectContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { linkedTicket } from "../tickets/linked_ticket.ts";
import { MAX_LINKS } from "./schema.ts";

/** The links of a ticket as it sees them: its side of each, `kind`, and the other ticket. */
export function linksOf({ db }: ProjectContext, ticketId: string): Fragment {
  return db`(
    select id, kind, other_id, created_at from ticket_links where ticket_id = ${ticketId}::uuid union all
    select id, case kind when 'blocked_by' then 'blocks' else kind end, ticket_id, created_at
    from ticket_links where other_id = ${ticketId}::uuid union all
    select id, 'duplicates', duplicate_of, created_at from ticket_duplicates where ticket_id = ${ticketId}::uuid union all
    (select id, 'duplicated_by', ticket_id, created_at from ticket_duplicates where duplicate_of = ${ticketId}::uuid
      order by created_at, id limit ${MAX_LINKS})
  )`;
}

/** The columns of a Link for a row `l` of `linksOf`, its `tickets t` and their `projects p`. */
export function linkColumns({ db }: ProjectContext): Fragment {
  return db`l.id, l.kind, l.created_at, ${linkedTicket(db)} as ticket`;
}

export function noSuchLink(): AppError {
  return new AppError("not_found", "No such link of this ticket");
}
