import { z } from "zod";
import { CreateComment } from "../comments/schema.ts";
import { Id } from "../core/schema.ts";
import { Ref } from "./_fields.ts";
import { defineTool } from "./tool.ts";

export const comment = defineTool({
  name: "comment",
  title: "Comment on a ticket",
  description:
    "Writes a comment for the people and agents who watch the ticket. If you need an answer, use ask_human.",
  calls: ["comments.create"],
  input: z.strictObject({
    ticket: Ref,
    body: CreateComment.shape.body,
    reply_to: Id.optional().describe("Id of a comment"),
    idempotency_key: CreateComment.shape.idempotency_key,
  }),
  output: z.object({ comment_id: z.string(), replayed: z.boolean() }),
  async run({ call, locate }, { ticket, reply_to: parent_id, ...draft }) {
    const made = await call("comments.create", { ...await locate(ticket), parent_id, ...draft });
    return { comment_id: made.id, replayed: made._idempotent_replay ?? false };
  },
});
