import type { ProjectContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { inOrder } from "../core/in_order.ts";
import { transact } from "../core/transact.ts";
import { lockTicket } from "../tickets/lock.ts";
import { findMentions } from "./mentions.ts";
import { addWatchers } from "./_watchers.ts";
import { commentColumns, isAuthor, readComment, refuseDeleted, toComment } from "./_rows.ts";
import type { Comment, UpdateComment } from "./schema.ts";

/**
 * Changes the text of a comment; history keeps the earlier one.
 * @throws {AppError} forbidden for everybody but its author; conflict for a deleted one
 */
export async function updateComment(ctx: ProjectContext, input: UpdateComment): Promise<Comment> {
  return await transact(ctx, async (ctx) => {
    const { db } = ctx;
    const [, before] = await inOrder(lockTicket(ctx, input.ticketId), readComment(ctx, input));
    if (!isAuthor(ctx.actor, before)) throw new AppError("forbidden", "Only the author may edit a comment");
    refuseDeleted(before, "edit");
    if (before.body === input.body) return toComment(before);
    const mentions = await findMentions(ctx, input.body);
    const [after] = await db<[Comment]>`
      update comments c set body = ${input.body}, mentions = ${mentions}::uuid[], edited_at = clock_timestamp(),
        updated_at = clock_timestamp()
      where c.id = ${before.id}::uuid returning ${commentColumns(db)}`;
    await addWatchers(ctx, input.ticketId, { author: null, mentioned: mentions });
    return after;
  });
}
