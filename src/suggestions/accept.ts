import type { ProjectContext } from "../core/context.ts";
import { transact } from "../core/transact.ts";
import { lockGraph } from "../tickets/lock_graph.ts";
import { applyDuplicate } from "./_apply_duplicate.ts";
import { applyFinished } from "./_apply_finished.ts";
import { applyRole } from "./_apply_role.ts";
import { applySplit } from "./_apply_split.ts";
import { applyStale } from "./_apply_stale.ts";
import {
  decideSuggestion,
  lockSuggestion,
  requireScopesOf,
  type StoredSuggestion,
  wrongStatus,
} from "./_rows.ts";
import type { AcceptSuggestion, Suggestion, SuggestionKind } from "./schema.ts";

type Apply = (
  ctx: ProjectContext,
  suggestion: StoredSuggestion,
  input: AcceptSuggestion,
) => Promise<Record<string, unknown>>;

/** The effect of accepting each kind on the ticket. Each returns the state that undo needs. */
const APPLY: Record<SuggestionKind, Apply> = {
  duplicate: applyDuplicate,
  close: applyFinished,
  stale: applyStale,
  role: applyRole,
  split: applySplit,
};

/**
 * Carries out a suggestion on behalf of the caller, who has to pass the same gates as anyone.
 * Accepting again changes nothing.
 * @throws {AppError} invalid_transition if it was decided otherwise; the gates' refusals; conflict
 * if the ticket has changed
 */
export async function acceptSuggestion(ctx: ProjectContext, input: AcceptSuggestion): Promise<Suggestion> {
  return await transact(ctx, async (ctx) => {
    // A duplicate changes how tickets depend on one another.
    await lockGraph(ctx);
    const suggestion = await lockSuggestion(ctx, input.suggestionId);
    if (suggestion.status === "accepted") return suggestion;
    if (suggestion.status !== "pending") throw wrongStatus("accept", suggestion);
    requireScopesOf(ctx, suggestion.kind);
    const before = await APPLY[suggestion.kind](ctx, suggestion, input);
    return await decideSuggestion(ctx, suggestion, { status: "accepted", before_accept: before });
  });
}
