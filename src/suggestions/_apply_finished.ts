import type { ProjectContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { lockTicket } from "../tickets/lock.ts";
import { applyClosing } from "./_apply_closing.ts";
import type { StoredSuggestion } from "./_rows.ts";
import type { BeforeClosing } from "./before_closing.ts";
import { counted } from "../core/counted.ts";
import type { AcceptSuggestion } from "./schema.ts";

/**
 * Closes the ticket as completed.
 * @throws {AppError} conflict if it has unfinished tasks or was merged since
 */
export async function applyFinished(
  ctx: ProjectContext,
  suggestion: StoredSuggestion,
  { skip_pending_roles: skipPendingRoles }: AcceptSuggestion,
): Promise<BeforeClosing> {
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
