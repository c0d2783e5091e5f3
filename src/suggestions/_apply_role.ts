import type { ProjectContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { newVersion } from "../core/if_match.ts";
import { lockTicket, refuseWhenClosed } from "../tickets/lock.ts";
import { changedSince } from "./_apply_closing.ts";
import type { StoredSuggestion } from "./_rows.ts";

export async function applyRole(
  ctx: ProjectContext,
  suggestion: StoredSuggestion,
): Promise<{ role: string }> {
  const role = String(suggestion.evidence.role);
  if (ctx.project.disabled_roles.includes(role)) {
    throw new AppError("conflict", `The role ${role} is disabled for this account`);
  }
  const ticket = await lockTicket(ctx, suggestion.ticket_id);
  refuseWhenClosed(ticket, `give the role ${role} to`);
  const added = await ctx.db`
    insert into ticket_roles (ticket_id, project_id, role)
    values (${ticket.id}::uuid, ${ctx.project.id}::uuid, ${role}) on conflict do nothing`;
  if (added.count === 0) {
    throw new AppError("conflict", `Ticket ${ticket.ticket_ref} has the role ${role} already`);
  }
  await touch(ctx, ticket.id);
  return { role };
}

/** @throws {AppError} conflict if somebody started the role or removed it */
export async function undoRole(
  ctx: ProjectContext,
  ticketId: string,
  { role }: { role: string },
): Promise<void> {
  const ticket = await lockTicket(ctx, ticketId);
  const removed = await ctx.db`
    delete from ticket_roles where ticket_id = ${ticketId}::uuid and role = ${role} and status = 'pending'`;
  if (removed.count === 0) throw changedSince(ticket.ticket_ref);
  await touch(ctx, ticketId);
}

async function touch({ db }: ProjectContext, ticketId: string): Promise<void> {
  await db`update tickets set ${newVersion(db, "tickets")} where id = ${ticketId}::uuid`;
}
