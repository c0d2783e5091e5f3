import { columnsOverLimit } from "../columns/over_limit.ts";
import { maySkipHumanTests, requirePerson } from "../core/access.ts";
import type { ProjectContext } from "../core/context.ts";
import { AppError, invalidField } from "../core/errors.ts";
import { transact } from "../core/transact.ts";
import { bulkResult } from "./_bulk_result.ts";
import { changeTickets } from "./bulk_change.ts";
import type { BulkResult, BulkTickets } from "./bulk_schema.ts";
import { findOriginal, markDuplicates, refuseItself, refuseStrayDuplicate } from "./mark_duplicate.ts";
import { lockWithKin } from "./lock.ts";
import { lockGraph } from "./lock_graph.ts";
import { isTicketRef, type Stage } from "./schema.ts";
import { kindOfCaller, transitionTickets } from "./transition.ts";

/**
 * Moves, closes or changes many tickets in one transaction and decides each on its own. `updated` and
 * `errors` together cover each distinct id of the request once.
 * @throws {AppError} forbidden for the whole call when the caller may not skip the human test gate
 */
export async function bulkTickets(ctx: ProjectContext, input: BulkTickets): Promise<BulkResult> {
  if (input.action === "change") return await changeTickets(ctx, input);
  refuseStrayChange(input);
  const to = targetOf(input);
  if (input.skip_human_test_gate && !maySkipHumanTests(ctx.actor, ctx.project)) {
    throw new AppError(
      "forbidden",
      "Only admins of the project who are not bot clients may skip the human test gate",
    );
  }
  if (input.skip_open_children) {
    requirePerson(ctx.actor, "Only people may close a ticket before its children");
  }
  refuseStrayDuplicate(input.duplicate_of, to, input.resolution_type);
  const ids = [...new Set(input.ticket_ids)];
  // The refs of tickets that are there have been replaced by ids.
  const possible = ids.filter((name) => !isTicketRef(name));
  const other = await findOriginal(ctx, input.duplicate_of);
  refuseItself(possible, other);
  const { found, overLimit } = await transact(ctx, async (ctx) => {
    if (other) {
      await lockGraph(ctx);
      await lockWithKin(ctx, possible, { to, others: [other.id] });
    }
    const found = await transitionTickets(ctx, ctx.project.id, possible, {
      to,
      resolution: { type: input.resolution_type, note: input.resolution_note },
      skipPendingRoles: input.skip_pending_roles,
      skipHumanTestGate: input.skip_human_test_gate,
      skipOpenChildren: input.skip_open_children,
      versions: input.versions,
      dryRun: input.dry_run,
      caller: kindOfCaller(ctx),
    });
    const moved = input.dry_run ? [] : found.filter(({ changed }) => changed);
    if (other && moved.length > 0) await markDuplicates(ctx, moved.map(({ id }) => id), other.id);
    return { found, overLimit: await columnsOverLimit(ctx, moved.map(({ column_id }) => column_id)) };
  });
  return bulkResult(ids, found, overLimit);
}

function refuseStrayChange({ ticket_ids, query, set }: BulkTickets): void {
  if (set !== undefined) throw invalidField("set", "Only for the action change");
  if (query !== undefined) throw invalidField("query", "Only for the action change");
  if (ticket_ids === undefined) throw invalidField("ticket_ids", "Required to move or close tickets");
}

function targetOf(input: BulkTickets): Stage {
  const { action, stage } = input;
  if (action === "close" && stage !== undefined && stage !== "live") {
    throw invalidField("stage", "A close always goes to live");
  }
  if (action === "move" && stage === undefined) {
    throw invalidField("stage", "Required when the action is move");
  }
  return stage ?? "live";
}
