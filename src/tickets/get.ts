import type { Fragment } from "../../db/open.ts";
import { readTogether } from "../core/batches.ts";
import type { ProjectContext } from "../core/context.ts";
import { ticketColumns } from "./_rows.ts";
import { noSuchTicket } from "./lock.ts";
import type { Ticket, TicketPathOrRef } from "./schema.ts";

/** A ticket by its id, or by its ref in the project. */
export async function getTicket(
  ctx: ProjectContext,
  input: Pick<TicketPathOrRef, "ticketId">,
): Promise<Ticket> {
  const { db, project } = ctx;
  const ref = /^([A-Za-z][A-Za-z0-9]*)-(\d+)$/.exec(input.ticketId);
  if (ref && ref[1]!.toUpperCase() !== project.key) throw noSuchTicket();
  const ticket = ref
    ? (await readTickets(ctx, db`t.number = ${Number(ref[2])}`))[0]
    : await readTogether(ctx, `tickets:${project.id}:${project.key}`, input.ticketId, async (ids) => {
      const tickets = await readTickets(ctx, db`t.id = any (${ids}::uuid[])`);
      const byId = new Map(tickets.map((ticket) => [ticket.id, ticket]));
      return ids.map((id) => byId.get(id));
    });
  if (!ticket) throw noSuchTicket();
  return ticket;
}

async function readTickets(ctx: ProjectContext, which: Fragment): Promise<Ticket[]> {
  return await ctx.db<Ticket[]>`
    select ${ticketColumns(ctx)} from tickets t where t.project_id = ${ctx.project.id}::uuid and ${which}`;
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
