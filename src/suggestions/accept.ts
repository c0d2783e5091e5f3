import type { ProjectContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { transact } from "../core/history.ts";
import { applyClosing, lockStage, moveTicket } from "./_apply_closing.ts";
import { applyDuplicate } from "./_apply_duplicate.ts";
import { applyRole } from "./_apply_role.ts";
import { applySplit } from "./_apply_split.ts";
import { decideSuggestion, readSuggestion, refuseStatus, type StoredSuggestion } from "./_rows.ts";
import type { Suggestion, SuggestionKind, SuggestionPath } from "./schema.ts";

type Apply = (ctx: ProjectContext, suggestion: StoredSuggestion) => Promise<Record<string, unknown>>;

/** What accepting does to the ticket; answers what undo needs. */
const APPLY: Record<SuggestionKind, Apply> = {
  duplicate: applyDuplicate,
  close: (ctx, suggestion) => applyClosing(ctx, suggestion, { type: "completed" }),
  stale: applyStale,
  role: applyRole,
  split: applySplit,
};

/**
 * Does what is suggested, as the caller and past the same gates. Accepting again changes nothing.
 * @throws {AppError} invalid_transition when it was decided otherwise; the gates' and conflict when the ticket has changed
 */
export async function acceptSuggestion(ctx: ProjectContext, input: SuggestionPath): Promise<Suggestion> {
  return await transact(ctx, async (ctx) => {
    const suggestion = await readSuggestion(ctx, input.suggestionId);
    if (suggestion.status === "accepted") return suggestion;
    if (suggestion.status !== "pending") throw refuseStatus("accept", suggestion);
    const before = await APPLY[suggestion.kind](ctx, suggestion);
    return await decideSuggestion(ctx, suggestion, { status: "accepted", before_accept: before });
  });
}

async function applyStale(
  ctx: ProjectContext,
  suggestion: StoredSuggestion,
): Promise<Record<string, unknown>> {
  if (suggestion.evidence.proposal === "close") {
    return await applyClosing(ctx, suggestion, { type: "no_longer_relevant" });
  }
  const { stage, ticket_ref } = await lockStage(ctx, suggestion.ticket_id);
  if (stage !== suggestion.evidence.stage) {
    throw new AppError(
      "conflict",
      `Cannot move ticket ${ticket_ref} to the backlog: it stands in ${stage} now`,
    );
  }
  await moveTicket(ctx, suggestion.ticket_id, "backlog");
  return { stage };
}
