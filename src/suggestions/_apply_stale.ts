import type { ProjectContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { lockTasks } from "../tasks/lock.ts";
import { lastMove } from "../tickets/last_move.ts";
import { lockTicket } from "../tickets/lock.ts";
import type { Stage } from "../tickets/schema.ts";
import { moveTickets } from "../tickets/transition.ts";
import { applyClosing, type BeforeClosing, changedSince } from "./_apply_closing.ts";
import { lastActivity } from "./_batch.ts";
import type { StoredSuggestion } from "./_rows.ts";
import type { AcceptSuggestion } from "./schema.ts";

/** The stage that a ticket left for the backlog, and that move's place in the history, which older moves lack. */
export interface BeforeMove extends Record<string, unknown> {
  stage: Stage;
  move?: number | null;
}

/** Closes the ticket, or moves it back to the backlog. @throws {AppError} conflict when it has changed since */
export async function applyStale(
  ctx: ProjectContext,
  suggestion: StoredSuggestion,
  { skip_pending_roles: skipPendingRoles }: AcceptSuggestion,
): Promise<BeforeClosing | BeforeMove> {
  const { stage, ticket_ref } = await lockTicket(ctx, suggestion.ticket_id);
  const closes = suggestion.evidence.proposal === "close";
  const refused = closes
    ? `Cannot close ticket ${ticket_ref}:`
    : `Cannot move ticket ${ticket_ref} to the backlog:`;
  if (stage !== suggestion.evidence.stage) {
    throw new AppError("conflict", `${refused} it stands in ${stage} now`);
  }
  await lockTasks(ctx, [suggestion.ticket_id]); // a claim that is under way is activity too
  const [row] = await ctx.db<[{ last_activity: string }]>`
    select ${lastActivity(ctx.db)} as last_activity from tickets t
    where t.id = ${suggestion.ticket_id}::uuid and t.project_id = ${ctx.project.id}::uuid`;
  if (row.last_activity > String(suggestion.evidence.last_activity)) {
    throw new AppError("conflict", `${refused} it has changed since this was suggested`);
  }
  if (closes) {
    return await applyClosing(ctx, suggestion, {
      resolution: { type: "no_longer_relevant" },
      skipPendingRoles,
    });
  }
  await moveTickets(ctx, [suggestion.ticket_id], { to: "backlog" });
  return { stage, move: await lastMove(ctx, suggestion.ticket_id) };
}

/** @throws {AppError} conflict when the ticket has been moved since */
export async function undoMove(ctx: ProjectContext, ticketId: string, before: BeforeMove): Promise<void> {
  const { stage, ticket_ref } = await lockTicket(ctx, ticketId);
  const moved = before.move !== undefined && before.move !== await lastMove(ctx, ticketId);
  if (stage !== "backlog" || moved) throw changedSince(ticket_ref);
  await moveTickets(ctx, [ticketId], { to: before.stage });
}
