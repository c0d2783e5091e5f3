import type { Db } from "../../db/open.ts";
import type { Actor, ProjectContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import type { Comment, CommentPath } from "./schema.ts";

/** The columns of a Comment for `comments c`. */
export function commentColumns(db: Db) {
  return db`c.id, c.ticket_id, c.project_id, c.parent_id, c.body, jsonb_build_object('id', c.created_by, 'name',
      (select u.name from users u where u.id = c.created_by), 'kind', case when c.by_bot then 'agent' else 'person' end) as author,
    c.mentions, c.edited_at, c.resolved_at, c.resolved_by, c.deleted_at, c.imported, c.created_at, c.updated_at`;
}

/** A comment with the credential that wrote it. */
export type StoredComment = Comment & { created_with: "session" | "key"; key_id: string | null };

/**
 * Reads a comment. Nobody else writes the comment while the lock of its ticket is held.
 * @throws {AppError} not_found
 */
export async function readComment(
  { db, project }: ProjectContext,
  { ticketId, commentId }: CommentPath,
): Promise<StoredComment> {
  const [found] = await db<StoredComment[]>`
    select ${commentColumns(db)}, c.created_with, c.key_id from comments c
    where c.id = ${commentId}::uuid and c.ticket_id = ${ticketId}::uuid and c.project_id = ${project.id}::uuid`;
  if (!found) throw new AppError("not_found", "No such comment on this ticket");
  return found;
}

/** Returns a comment without the columns that only the verbs need. */
export function toComment({ created_with: _, key_id: __, ...comment }: StoredComment): Comment {
  return comment;
}

/**
 * Tells whether this credential wrote the comment. A comment written with an API key belongs to the
 * key's agent and not to the key's owner.
 */
export function isAuthor({ user, credential }: Actor, comment: StoredComment): boolean {
  return comment.author.id === user.id && comment.created_with === credential.type &&
    (credential.type === "session" || comment.key_id === credential.id);
}

export function refuseDeleted(comment: Comment, attempt: string): void {
  if (comment.deleted_at !== null) throw new AppError("conflict", `Cannot ${attempt} a deleted comment`);
}
