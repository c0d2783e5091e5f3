import type { ProjectContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import type { Resolution, Stage } from "../tickets/schema.ts";
import { type TransitionRequest, transitionTickets } from "../tickets/transition.ts";
import type { StoredSuggestion } from "./_rows.ts";

/** The stage that a ticket left, and when it was closed then: by this it is known whether it is closed still as it was. */
export interface BeforeClosing extends Record<string, unknown> {
  stage: Stage;
  closed_at: string;
}

/** Past the same gates as anyone: nothing is skipped for a suggestion. */
export async function applyClosing(
  ctx: ProjectContext,
  { ticket_id }: StoredSuggestion,
  resolution: Resolution,
): Promise<BeforeClosing> {
  const before = await lockStage(ctx, ticket_id);
  if (before.status === "closed") {
    throw new AppError("conflict", `Ticket ${before.ticket_ref} is closed already`);
  }
  await moveTicket(ctx, ticket_id, { to: "live", resolution });
  const [after] = await ctx.db<
    [{ closed_at: string }]
  >`select closed_at from tickets where id = ${ticket_id}::uuid`;
  return { stage: before.stage, closed_at: after.closed_at };
}

/**
 * As if it had never been closed; or, not `undone`, reopened against who closed it.
 * @throws {AppError} conflict when it was reopened or closed otherwise meanwhile
 */
export async function undoClosing(
  ctx: ProjectContext,
  ticketId: string,
  before: BeforeClosing,
  undone = true,
): Promise<void> {
  const { closed_at, ticket_ref } = await lockStage(ctx, ticketId);
  if (closed_at !== before.closed_at) throw changedSince(ticket_ref);
  await moveTicket(ctx, ticketId, { to: before.stage, undone });
}

/** @throws {AppError} roles_incomplete, human_tests_pending */
export async function moveTicket(
  ctx: ProjectContext,
  ticketId: string,
  request: Pick<TransitionRequest, "to" | "resolution" | "undone">,
): Promise<void> {
  const [result] = await transitionTickets(ctx, ctx.project.id, [ticketId], request);
  if (result?.code) throw new AppError(result.code, result.error, { details: result.details });
}

interface LockedStage {
  ticket_ref: string;
  stage: Stage;
  status: "open" | "closed";
  closed_at: string | null;
}

export async function lockStage(ctx: ProjectContext, ticketId: string): Promise<LockedStage> {
  const [ticket] = await ctx.db<LockedStage[]>`
    select ${ctx.project.key} || '-' || number as ticket_ref, stage, status, closed_at from tickets
    where id = ${ticketId}::uuid and project_id = ${ctx.project.id}::uuid for update`;
  if (!ticket) throw new AppError("not_found", "No such ticket in this project");
  return ticket;
}

export function changedSince(ticketRef: string): AppError {
  return new AppError("conflict", `Cannot undo: ticket ${ticketRef} was changed since`);
}
