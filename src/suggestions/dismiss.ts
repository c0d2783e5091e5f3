import type { ProjectContext } from "../core/context.ts";
import { transact } from "../core/transact.ts";
import { decideSuggestion, lockSuggestion, wrongStatus } from "./_rows.ts";
import type { Suggestion, SuggestionPath } from "./schema.ts";

/**
 * Dismisses a suggestion, so that it isn't suggested again while its facts stay the same.
 * Dismissing again changes nothing.
 * @throws {AppError} invalid_transition if it was decided otherwise
 */
export async function dismissSuggestion(ctx: ProjectContext, input: SuggestionPath): Promise<Suggestion> {
  return await transact(ctx, async (ctx) => {
    const suggestion = await lockSuggestion(ctx, input.suggestionId);
    if (suggestion.status === "dismissed") return suggestion;
    if (suggestion.status !== "pending") throw wrongStatus("dismiss", suggestion);
    return await decideSuggestion(ctx, suggestion, { status: "dismissed" });
  });
}
