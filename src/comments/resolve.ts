import type { ProjectContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { inOrder } from "../core/in_order.ts";
import { transact } from "../core/transact.ts";
import { lockTicket } from "../tickets/lock.ts";
import { commentColumns, readComment, toComment } from "./_rows.ts";
import type { Comment, CommentPath } from "./schema.ts";

/**
 * Marks a thread as resolved, or removes the mark. A thread that already has the wanted state keeps
 * its author and time.
 * @throws {AppError} conflict for a reply, because only the thread's first comment carries the mark
 */
export async function resolveComment(
  ctx: ProjectContext,
  input: CommentPath,
  resolved: boolean,
): Promise<Comment> {
  return await transact(ctx, async (ctx) => {
    const { db, actor } = ctx;
    const [, before] = await inOrder(lockTicket(ctx, input.ticketId), readComment(ctx, input));
    if (before.parent_id !== null) {
      throw new AppError("conflict", "Cannot resolve a reply: resolve the first comment of its thread");
    }
    if ((before.resolved_at !== null) === resolved) return toComment(before);
    const [after] = await db<[Comment]>`
      update comments c set updated_at = clock_timestamp(), resolved_at = ${
      resolved ? db`clock_timestamp()` : null
    },
        resolved_by = ${resolved ? actor.user.id : null}::uuid
      where c.id = ${before.id}::uuid returning ${commentColumns(db)}`;
    return after;
  });
}
