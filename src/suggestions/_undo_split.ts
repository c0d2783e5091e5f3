import type { ProjectContext } from "../core/context.ts";
import { newVersion } from "../core/if_match.ts";
import { inOrder } from "../core/in_order.ts";
import { lockTasks } from "../tasks/lock.ts";
import { lockTickets, refuseWhenClosed } from "../tickets/lock.ts";
import { moveTickets } from "../tickets/transition.ts";
import { changedSince } from "./_apply_closing.ts";
import type { StoredSuggestion } from "./_rows.ts";
import { type BeforeSplit, digestTasks, insertKept, partsOf, writeParts } from "./_split_tasks.ts";

/**
 * Undoes a split. A question or test case that would block a closing also blocks the undoing.
 * @throws {AppError} conflict if the ticket was closed or any of the tasks was changed since
 */
export async function undoSplit(ctx: ProjectContext, suggestion: StoredSuggestion): Promise<void> {
  const { ticket_id: ticketId, before_accept } = suggestion;
  const before = before_accept as BeforeSplit;
  const ids = [ticketId, ...before.part_ids];
  const parent = (await lockTickets(ctx, ids)).find(({ id }) => id === ticketId)!;
  refuseWhenClosed(parent, "undo the split of");
  await lockTasks(ctx, ids);
  if (await digestTasks(ctx, ids) !== before.digest) throw changedSince(parent.ticket_ref);
  await bringBack(ctx, suggestion, before);
  await inOrder(restoreOrder(ctx, suggestion), writeParts(ctx, suggestion, partsOf(suggestion)));
  await moveTickets(ctx, before.part_ids, {
    to: "live",
    resolution: { type: "cancelled", note: "The split was undone" },
    skipPendingRoles: true,
  });
}

/**
 * Restores the tasks as new versions, so that a version of a split task that somebody read doesn't
 * match a restored one.
 */
async function bringBack(
  ctx: ProjectContext,
  suggestion: StoredSuggestion,
  { part_ids }: BeforeSplit,
): Promise<void> {
  const removed = await ctx.db<{ id: string; version: number }[]>`
    delete from tasks where ticket_id = any (${part_ids}::uuid[]) returning id, version`;
  await insertKept(ctx, suggestion, removed.map(({ id, version }) => ({ id, version: version + 1 })));
}

/**
 * Moves the tasks that stayed back to their places, and restores their dependencies on the tasks
 * that went.
 */
async function restoreOrder(
  { db }: ProjectContext,
  { id, ticket_id: ticketId }: StoredSuggestion,
): Promise<void> {
  await db`
    update tasks k set sequence = b.sequence, depends_on_task_ids = b.depends_on_task_ids, ${
    newVersion(db, "k")
  }
    from suggestions s cross join jsonb_to_recordset(s.before_accept -> 'tasks')
      as b (id uuid, sequence integer, depends_on_task_ids uuid[])
    where s.id = ${id}::uuid and k.id = b.id and k.ticket_id = ${ticketId}::uuid
      and (k.sequence, k.depends_on_task_ids) is distinct from (b.sequence, b.depends_on_task_ids)`;
}
