import type { ProjectContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { transact } from "../core/transact.ts";
import { lockTasks } from "../tasks/lock.ts";
import { lastMove } from "../tickets/last_move.ts";
import { lockTicket } from "../tickets/lock.ts";
import { moveTickets } from "../tickets/transition.ts";
import { applyClosing } from "./_apply_closing.ts";
import { applyDuplicate } from "./_apply_duplicate.ts";
import { applyRole } from "./_apply_role.ts";
import { applySplit } from "./_apply_split.ts";
import { lastActivity } from "./_batch.ts";
import { counted } from "./_finding.ts";
import { decideSuggestion, lockSuggestion, type StoredSuggestion, wrongStatus } from "./_rows.ts";
import type { AcceptSuggestion, Suggestion, SuggestionKind } from "./schema.ts";

type Apply = (
  ctx: ProjectContext,
  suggestion: StoredSuggestion,
  input: AcceptSuggestion,
) => Promise<Record<string, unknown>>;

/** What accepting does to the ticket; answers what undo needs. */
const APPLY: Record<SuggestionKind, Apply> = {
  duplicate: applyDuplicate,
  close: applyFinished,
  stale: applyStale,
  role: applyRole,
  split: applySplit,
};

/**
 * Does what is suggested, as the caller and past the same gates. Accepting again changes nothing.
 * @throws {AppError} invalid_transition when it was decided otherwise; the gates' and conflict when the ticket has changed
 */
export async function acceptSuggestion(ctx: ProjectContext, input: AcceptSuggestion): Promise<Suggestion> {
  return await transact(ctx, async (ctx) => {
    const suggestion = await lockSuggestion(ctx, input.suggestionId);
    if (suggestion.status === "accepted") return suggestion;
    if (suggestion.status !== "pending") throw wrongStatus("accept", suggestion);
    const before = await APPLY[suggestion.kind](ctx, suggestion, input);
    return await decideSuggestion(ctx, suggestion, { status: "accepted", before_accept: before });
  });
}

async function applyFinished(
  ctx: ProjectContext,
  suggestion: StoredSuggestion,
  { skip_pending_roles: skipPendingRoles }: AcceptSuggestion,
): Promise<Record<string, unknown>> {
  const { ticket_ref } = await lockTicket(ctx, suggestion.ticket_id);
  const [row] = await ctx.db<[{ unfinished: number; merged: boolean }]>`
    select (select count(*) from tasks k where k.ticket_id = t.id and k.status not in ('done', 'skipped')) as unfinished,
      t.merge_sha is not null as merged
    from tickets t where t.id = ${suggestion.ticket_id}::uuid`;
  const refused = `Cannot close ticket ${ticket_ref}:`;
  if (row.unfinished > 0) {
    const tasks = counted(row.unfinished, "task");
    throw new AppError("conflict", `${refused} ${tasks} came up since this was suggested`);
  }
  if (row.merged) {
    throw new AppError("conflict", `${refused} it was merged since this was suggested`);
  }
  return await applyClosing(ctx, suggestion, { resolution: { type: "completed" }, skipPendingRoles });
}

async function applyStale(
  ctx: ProjectContext,
  suggestion: StoredSuggestion,
  { skip_pending_roles: skipPendingRoles }: AcceptSuggestion,
): Promise<Record<string, unknown>> {
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
