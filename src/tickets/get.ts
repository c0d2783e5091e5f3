import { batchedRead } from "../core/batched_read.ts";
import type { ProjectContext } from "../core/context.ts";
import { ticketColumns, ticketOf, type TicketRow, type TicketScope } from "./_rows.ts";
import { noSuchTicket } from "./lock.ts";
import type { Ticket, TicketPath } from "./schema.ts";

export async function getTicket(ctx: ProjectContext, input: Pick<TicketPath, "ticketId">): Promise<Ticket> {
  const ticket = await ticketsById.get(ctx, input.ticketId);
  if (!ticket) throw noSuchTicket();
  return ticket;
}

const ticketsById = batchedRead({
  name: "tickets",
  scope: ({ project: { id, key }, config: { PUBLIC_URL } }: ProjectContext): TicketScope => ({
    project: { id, key },
    config: { PUBLIC_URL },
  }),
  async load(db, scope, ids) {
    const rows = await db<TicketRow[]>`
      select ${ticketColumns({ db, project: scope.project })} from tickets t
      where t.project_id = ${scope.project.id}::uuid and t.id = any (${ids}::uuid[])`;
    return new Map(rows.map((row) => [row.id, ticketOf(scope, row)]));
  },
});

/** Checks that a ticket exists before its parts are read. @throws {AppError} not_found */
export async function requireTicket(
  { db, project }: ProjectContext,
  ticketId: string,
): Promise<Pick<Ticket, "status">> {
  const [ticket] = await db<Pick<Ticket, "status">[]>`
    select status from tickets where id = ${ticketId}::uuid and project_id = ${project.id}::uuid`;
  if (!ticket) throw noSuchTicket();
  return ticket;
}
