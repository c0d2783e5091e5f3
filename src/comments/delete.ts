import { isBot, type ProjectContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { inOrder } from "../core/in_order.ts";
import { transact } from "../core/transact.ts";
import { lockTicket } from "../tickets/lock.ts";
import { isAuthor, readComment, type StoredComment } from "./_rows.ts";
import type { CommentPath } from "./schema.ts";

/**
 * Deletes a comment's text, also from history and from the stored answer of its creation, so that a
 * secret which was pasted is gone. The row stays, so that its replies keep their place.
 * @throws {AppError} forbidden for everybody but its author, the owner of the key that wrote it,
 * and project admins
 */
export async function deleteComment(ctx: ProjectContext, input: CommentPath): Promise<void> {
  await transact(ctx, async (ctx) => {
    const { db } = ctx;
    const [, comment] = await inOrder(lockTicket(ctx, input.ticketId), readComment(ctx, input));
    if (!mayDelete(ctx, comment)) {
      throw new AppError("forbidden", "Only the author or an admin of the project may delete a comment");
    }
    if (comment.deleted_at !== null) return;
    await db`
      update comments set body = null, mentions = '{}', deleted_at = clock_timestamp(), updated_at = clock_timestamp()
      where id = ${comment.id}::uuid`;
    await forget(ctx, input.ticketId, comment.id);
  });
}

/**
 * Removes the text from history and from the stored answer of the comment's creation. The hash of
 * the text goes, too, because a short text could be guessed from it.
 */
async function forget({ db }: ProjectContext, ticketId: string, commentId: string): Promise<void> {
  await Promise.all([
    db`
      update history set to_value = to_value - 'body', changes = changes - 'body'
      where ticket_id = ${ticketId}::uuid and entity = 'comment' and entity_id = ${commentId}
        and (to_value ? 'body' or changes ? 'body')`,
    db`
      update part_creations set response = jsonb_set(response, '{body}', 'null'), body_sha256 = null
      where ticket_id = ${ticketId}::uuid and part = 'comment' and response ->> 'id' = ${commentId}`,
  ]);
}

function mayDelete({ actor, project }: ProjectContext, comment: StoredComment): boolean {
  if (isAuthor(actor, comment)) return true;
  return !isBot(actor) && (project.role === "admin" || comment.author.id === actor.user.id);
}
