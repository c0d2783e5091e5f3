import type { ProjectContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { lockTasks } from "../tasks/lock.ts";
import { lastMove } from "../tickets/last_move.ts";
import { lockTicket } from "../tickets/lock.ts";
import type { Stage } from "../tickets/schema.ts";
import { moveTickets } from "../tickets/transition.ts";
import { applyClosing, changedSince, undoClosing } from "./_apply_closing.ts";
import type { StoredSuggestion } from "./_rows.ts";
import type { BeforeClosing } from "./before_closing.ts";
import { lastActivity } from "./last_activity.ts";
import type { AcceptSuggestion } from "./schema.ts";

/**
 * The stage that a ticket left for the backlog, and the history id of that move, which older moves
 * lack.
 */
interface BeforeMove extends Record<string, unknown> {
  stage: Stage;
  move?: number | null;
}

/**
 * The state that undo needs, and the time of the ticket's last change at that moment, which is the
 * acceptance itself.
 */
type Applied = (BeforeClosing | BeforeMove) & { left?: string };

/**
 * Closes the ticket, or moves it back to the backlog. @throws {AppError} conflict when it has
 * changed since
 */
export async function applyStale(
  ctx: ProjectContext,
  suggestion: StoredSuggestion,
  { skip_pending_roles: skipPendingRoles }: AcceptSuggestion,
): Promise<Applied> {
  const { stage, ticket_ref } = await lockTicket(ctx, suggestion.ticket_id);
  const closes = suggestion.evidence.proposal === "close";
  const refused = closes
    ? `Cannot close ticket ${ticket_ref}:`
    : `Cannot move ticket ${ticket_ref} to the backlog:`;
  if (stage !== suggestion.evidence.stage) {
    throw new AppError("conflict", `${refused} it stands in ${stage} now`);
  }
  await lockTasks(ctx, [suggestion.ticket_id]); // a claim that is under way is activity too
  const known = suggestion.before_accept?.last_activity ?? suggestion.evidence.last_activity;
  if (await readLastActivity(ctx, suggestion) > String(known)) {
    throw new AppError("conflict", `${refused} it has changed since this was suggested`);
  }
  const before = closes
    ? await applyClosing(ctx, suggestion, { resolution: { type: "no_longer_relevant" }, skipPendingRoles })
    : await applyMove(ctx, suggestion, stage);
  return { ...before, left: await readLastActivity(ctx, suggestion) };
}

async function readLastActivity(ctx: ProjectContext, { ticket_id }: StoredSuggestion): Promise<string> {
  const [row] = await ctx.db<[{ last_activity: string }]>`
    select ${lastActivity(ctx.db)} as last_activity from tickets t
    where t.id = ${ticket_id}::uuid and t.project_id = ${ctx.project.id}::uuid`;
  return row.last_activity;
}

async function applyMove(
  ctx: ProjectContext,
  { ticket_id }: StoredSuggestion,
  stage: Stage,
): Promise<BeforeMove> {
  await moveTickets(ctx, [ticket_id], { to: "backlog" });
  return { stage, move: await lastMove(ctx, ticket_id) };
}

/**
 * Undoes the move or closing. If nobody has changed the ticket since the acceptance, the ticket is
 * as stale as before. Then the time of the undoing is returned.
 * @throws {AppError} conflict if the ticket has been moved or closed again since
 */
export async function undoStale(
  ctx: ProjectContext,
  suggestion: StoredSuggestion,
): Promise<{ last_activity: string } | undefined> {
  const { ticket_id, evidence } = suggestion;
  const before = suggestion.before_accept as Applied;
  await lockTasks(ctx, [ticket_id]);
  const untouched = before.left === await readLastActivity(ctx, suggestion);
  if (evidence.proposal === "move_to_backlog") await undoMove(ctx, ticket_id, before);
  else await undoClosing(ctx, ticket_id, { before: before as BeforeClosing, undone: true });
  return untouched ? { last_activity: await readLastActivity(ctx, suggestion) } : undefined;
}

async function undoMove(ctx: ProjectContext, ticketId: string, before: BeforeMove): Promise<void> {
  const { stage, ticket_ref } = await lockTicket(ctx, ticketId);
  const moved = before.move !== undefined && before.move !== await lastMove(ctx, ticketId);
  if (stage !== "backlog" || moved) throw changedSince(ticket_ref);
  await moveTickets(ctx, [ticketId], { to: before.stage });
}
