import { z } from "zod";
import { PARTS } from "../core/parts.ts";
import { Id, NextCursor, Page, queryInteger, text, Timestamp } from "../core/schema.ts";
import { IdempotencyKey, Replayed, TicketPath } from "../tickets/schema.ts";

export const MAX_COMMENTS = PARTS.comment.most;
/**
 * Comments of bot clients in a row on one ticket, within an hour and without a person in between.
 */
export const MAX_BOT_CHAIN = 20;
/** The most people that one comment may mention. */
export const MAX_MENTIONS = 50;

const MARKDOWN = "Markdown, stored as sent. A mention is `@[name](user-id)`; quotes and code mention nobody";
export const CommentBody = text(1, 10_000).describe(MARKDOWN);
/** The text of a comment after a change or an import, which may be longer than a new one. */
export const StoredCommentBody = text(1, 65_536).describe(MARKDOWN);

/** The author of a comment or question. */
export const Speaker = z.object({
  id: Id.nullable().describe("Null if an import found no matching user"),
  name: z.string().nullable(),
  kind: z.enum(["person", "agent"]).describe("agent: an API key, or a user of kind bot"),
}).meta({ id: "Speaker" });

export const Comment = z.object({
  id: Id,
  ticket_id: Id,
  project_id: Id,
  parent_id: Id.nullable().describe(
    "The first comment of the thread to which this reply belongs; null if this is a first comment",
  ),
  body: z.string().nullable().describe("Null if the comment was deleted"),
  author: Speaker,
  mentions: z.array(Id).describe("Users whom the text mentions"),
  edited_at: Timestamp.nullable(),
  resolved_at: Timestamp.nullable().describe("When the thread was resolved; set on its first comment"),
  resolved_by: Id.nullable(),
  deleted_at: Timestamp.nullable(),
  imported: z.boolean().describe("The comment came with an import, so `author` is what its file says"),
  created_at: Timestamp,
  updated_at: Timestamp,
}).meta({ id: "Comment" });
export type Comment = z.infer<typeof Comment>;

export const CreatedComment = Comment.extend(Replayed).meta({ id: "CreatedComment" });
export type CreatedComment = z.infer<typeof CreatedComment>;

export const ListComments = TicketPath.extend(Page.shape);
export type ListComments = z.infer<typeof ListComments>;

export const CommentList = z.object({ comments: z.array(Comment), next_cursor: NextCursor });

export const SummarizeComments = TicketPath.extend({ limit: queryInteger(0, 20, 3) });
export type SummarizeComments = z.infer<typeof SummarizeComments>;

export const CommentSummary = z.object({
  opened_by: Speaker.describe("Who created the ticket"),
  total: z.int().describe("Number of comments, without deleted ones"),
  latest: z.array(Comment).describe("The latest comments, oldest first"),
}).meta({ id: "CommentSummary" });
export type CommentSummary = z.infer<typeof CommentSummary>;

export const CommentPath = TicketPath.extend({ commentId: Id });
export type CommentPath = z.infer<typeof CommentPath>;

export const CreateComment = TicketPath.extend({
  body: CommentBody,
  parent_id: Id.optional().describe(
    "A comment of the same ticket; the new comment becomes a reply in that comment's thread",
  ),
  idempotency_key: IdempotencyKey.optional(),
});
export type CreateComment = z.infer<typeof CreateComment>;

export const UpdateComment = CommentPath.extend({ body: StoredCommentBody });
export type UpdateComment = z.infer<typeof UpdateComment>;
