import { readTogether } from "../core/batches.ts";
import type { ProjectContext } from "../core/context.ts";
import { ticketColumns } from "./_rows.ts";
import { noSuchTicket } from "./lock.ts";
import type { Ticket, TicketPath } from "./schema.ts";

export async function getTicket(ctx: ProjectContext, input: Pick<TicketPath, "ticketId">): Promise<Ticket> {
  const { project } = ctx;
  const ticket = await readTogether(
    ctx,
    `tickets:${project.id}:${project.key}`,
    input.ticketId,
    async (ids) => {
      const tickets = await ctx.db<Ticket[]>`
      select ${ticketColumns(ctx)} from tickets t
      where t.project_id = ${project.id}::uuid and t.id = any (${ids}::uuid[])`;
      const byId = new Map(tickets.map((ticket) => [ticket.id, ticket]));
      return ids.map((id) => byId.get(id));
    },
  );
  if (!ticket) throw noSuchTicket();
  return ticket;
}

/** For reads of what belongs to a ticket. @throws {AppError} not_found */
export async function requireTicket(
  { db, project }: ProjectContext,
  ticketId: string,
): Promise<Pick<Ticket, "status">> {
  const [ticket] = await db<Pick<Ticket, "status">[]>`
    select status from tickets where id = ${ticketId}::uuid and project_id = ${project.id}::uuid`;
  if (!ticket) throw noSuchTicket();
  return ticket;
}
