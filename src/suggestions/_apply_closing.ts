import type { ProjectContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { jsonb } from "../core/json.ts";
import { isUnfinished } from "../tickets/gates.ts";
import { lockTicket } from "../tickets/lock.ts";
import type { Resolution } from "../tickets/schema.ts";
import { moveTickets } from "../tickets/transition.ts";
import type { StoredSuggestion } from "./_rows.ts";
import type { BeforeClosing } from "./before_closing.ts";

/**
 * Closes the ticket through the same gates as anyone. Nothing is skipped unless the caller asks for
 * it.
 */
export async function applyClosing(
  ctx: ProjectContext,
  { ticket_id }: StoredSuggestion,
  { resolution, skipPendingRoles }: { resolution: Resolution; skipPendingRoles: boolean },
): Promise<BeforeClosing> {
  const before = await lockTicket(ctx, ticket_id);
  if (before.status === "closed") {
    throw new AppError("conflict", `Ticket ${before.ticket_ref} is closed already`);
  }
  const skipped = skipPendingRoles ? await unfinishedRoles(ctx, ticket_id) : {};
  await moveTickets(ctx, [ticket_id], { to: "live", resolution, skipPendingRoles });
  const { closed_at } = await lockTicket(ctx, ticket_id);
  return { stage: before.stage, closed_at: closed_at!, skipped };
}

async function unfinishedRoles({ db }: ProjectContext, ticketId: string): Promise<Record<string, string>> {
  const roles = await db<{ role: string; status: string }[]>`
    select role, status from ticket_roles r where ticket_id = ${ticketId}::uuid and ${isUnfinished(db)}`;
  return Object.fromEntries(roles.map(({ role, status }) => [role, status]));
}

/**
 * Restores the ticket as if it had never been closed. Without `undone` it counts as reopened,
 * against the decision to close it.
 * @throws {AppError} conflict if it was reopened or closed otherwise since
 */
export async function undoClosing(
  ctx: ProjectContext,
  ticketId: string,
  { before, undone }: { before: BeforeClosing; undone: boolean },
): Promise<void> {
  const { closed_at, ticket_ref } = await lockTicket(ctx, ticketId);
  if (closed_at !== before.closed_at) throw changedSince(ticket_ref);
  await moveTickets(ctx, [ticketId], { to: before.stage, undone });
  await ctx.db`
    update ticket_roles r set status = s.value from jsonb_each_text(${jsonb(ctx.db, before.skipped ?? {})}) s
    where r.ticket_id = ${ticketId}::uuid and r.role = s.key and r.status = 'skipped'`;
}

export function changedSince(ticketRef: string): AppError {
  return new AppError("conflict", `Cannot undo: ticket ${ticketRef} has changed since`);
}
