import { createComment } from "../comments/create.ts";
import { deleteComment } from "../comments/delete.ts";
import { getComment } from "../comments/get.ts";
import { listComments } from "../comments/list.ts";
import { summarizeComments } from "../comments/summarize.ts";
import { resolveComment } from "../comments/resolve.ts";
import {
  Comment,
  CommentList,
  CommentPath,
  CommentSummary,
  CreateComment,
  CreatedComment,
  ListComments,
  SummarizeComments,
  UpdateComment,
} from "../comments/schema.ts";
import { updateComment } from "../comments/update.ts";
import { MAX_CHANGE_BYTES } from "../tickets/schema.ts";
import { Nothing, projectProcedure, REPEATED, router } from "./trpc.ts";

const read = { access: "viewer", scope: "tickets:read", tag: "Comments" } as const;
const write = { access: "member", scope: "tickets:write", tag: "Comments" } as const;
const comments = "/projects/{id}/tickets/{ticketId}/comments";

export const commentsRouter = router({
  list: projectProcedure({
    ...read,
    method: "GET",
    path: comments,
    summary: "List a ticket's comments, oldest first",
    description:
      "Replies carry the `parent_id` of their thread. A deleted comment keeps its place without its text.",
    errors: ["not_found"],
  }).input(ListComments).output(CommentList).query(({ ctx, input }) => listComments(ctx, input)),

  summary: projectProcedure({
    ...read,
    method: "GET",
    path: `${comments}/latest`,
    summary: "Count a ticket's comments, and get the latest",
    errors: ["not_found"],
  }).input(SummarizeComments).output(CommentSummary).query(({ ctx, input }) => summarizeComments(ctx, input)),

  create: projectProcedure({
    ...write,
    method: "POST",
    path: comments,
    statusOf: (made: CreatedComment) => made._idempotent_replay ? 200 : 201,
    summary: "Comment on a ticket",
    description:
      "Notifies the ticket's watchers and the users whom the text mentions. After 20 comments by agents within an hour " +
      `without a person in between, agents are refused with \`conversation_loop\`. ${REPEATED}`,
    location: (made: CreatedComment, input: CreateComment) =>
      `/projects/${input.id}/tickets/${input.ticketId}/comments/${made.id}`,
    errors: ["not_found", "conflict", "conversation_loop"],
    example: { input: { body: "The proxy cuts the connection after 2 GB. I'll try without it." } },
  }).input(CreateComment).output(CreatedComment).mutation(({ ctx, input }) => createComment(ctx, input)),

  get: projectProcedure({
    ...read,
    method: "GET",
    path: `${comments}/{commentId}`,
    summary: "Get a comment",
    errors: ["not_found"],
  }).input(CommentPath).output(Comment).query(({ ctx, input }) => getComment(ctx, input)),

  update: projectProcedure({
    ...write,
    method: "PATCH",
    path: `${comments}/{commentId}`,
    maxBytes: MAX_CHANGE_BYTES,
    summary: "Edit a comment",
    description: "Only for the comment's author. The history keeps the earlier text.",
    errors: ["not_found", "conflict"],
    example: { input: { body: "The proxy cuts the connection after 2 GB, so it isn't the service." } },
  }).input(UpdateComment).output(Comment).mutation(({ ctx, input }) => updateComment(ctx, input)),

  delete: projectProcedure({
    ...write,
    method: "DELETE",
    path: `${comments}/{commentId}`,
    status: 204,
    summary: "Delete a comment",
    description:
      "Only for the comment's author and admins of the project. The text is removed from the comment, its " +
      "history and its notifications; the comment keeps its place without text.",
    errors: ["not_found"],
  }).input(CommentPath).output(Nothing).mutation(({ ctx, input }) => deleteComment(ctx, input)),

  resolve: projectProcedure({
    ...write,
    method: "POST",
    path: `${comments}/{commentId}/resolve`,
    summary: "Resolve a thread",
    description: "The thread is named by its first comment. A resolved thread stays as it is.",
    errors: ["not_found", "conflict"],
  }).input(CommentPath).output(Comment).mutation(({ ctx, input }) => resolveComment(ctx, input, true)),

  reopen: projectProcedure({
    ...write,
    method: "POST",
    path: `${comments}/{commentId}/reopen`,
    summary: "Reopen a resolved thread",
    description: "The thread is named by its first comment. An open thread stays as it is.",
    errors: ["not_found", "conflict"],
  }).input(CommentPath).output(Comment).mutation(({ ctx, input }) => resolveComment(ctx, input, false)),
});
