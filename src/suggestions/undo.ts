import type { ProjectContext } from "../core/context.ts";
import { transact } from "../core/transact.ts";
import { lockTickets, refuseWhenClosed } from "../tickets/lock.ts";
import { undoClosing } from "./_apply_closing.ts";
import { undoRole } from "./_apply_role.ts";
import { undoStale } from "./_apply_stale.ts";
import {
  decideSuggestion,
  lockSuggestion,
  requireScopesOf,
  type StoredSuggestion,
  wrongStatus,
} from "./_rows.ts";
import { undoSplit } from "./_undo_split.ts";
import type { BeforeClosing } from "./before_closing.ts";
import type { Suggestion, SuggestionPath } from "./schema.ts";

/**
 * Takes a decision back and restores the ticket's exact former state. An accepted or dismissed
 * suggestion is pending again. A suggestion that was carried out automatically counts as dismissed,
 * so that it isn't carried out again.
 * @throws {AppError} invalid_transition if nothing was decided; conflict if the ticket was changed
 * since
 */
export async function undoSuggestion(ctx: ProjectContext, input: SuggestionPath): Promise<Suggestion> {
  return await transact(ctx, async (ctx) => {
    const suggestion = await lockSuggestion(ctx, input.suggestionId);
    if (!isUndoable(suggestion)) throw wrongStatus("undo", suggestion);
    requireScopesOf(ctx, suggestion.kind);
    const known = await restore(ctx, suggestion);
    return await decideSuggestion(ctx, suggestion, {
      status: suggestion.status === "executed" ? "dismissed" : "pending",
      ...(known && { before_accept: known }),
    });
  });
}

/** An automatic closing that was undone is over, so there is nothing to go back to. */
function isUndoable({ status, evidence }: StoredSuggestion): boolean {
  return status === "accepted" || status === "executed" ||
    (status === "dismissed" && !("closed_by" in evidence));
}

/** Restores the ticket and returns the facts that a next acceptance needs. */
async function restore(
  ctx: ProjectContext,
  suggestion: StoredSuggestion,
): Promise<Record<string, unknown> | void> {
  const { kind, status, ticket_id, other_ticket_id, before_accept: before } = suggestion;
  if (status === "dismissed") {
    // Nothing is suggested for a closed ticket, and no ticket is suggested as its duplicate: such a
    // suggestion would stay pending.
    for (const ticket of await lockTickets(ctx, [ticket_id, other_ticket_id ?? ticket_id])) {
      refuseWhenClosed(ticket, "suggest anything for");
    }
    return;
  }
  if (kind === "role") return await undoRole(ctx, ticket_id, before as { role: string });
  if (kind === "split") return await undoSplit(ctx, suggestion);
  if (kind === "stale") return await undoStale(ctx, suggestion);
  // A ticket that was closed automatically would be closed again if it didn't count as reopened.
  const undone = status === "accepted";
  await undoClosing(ctx, ticket_id, { before: before as BeforeClosing, undone });
}
