import { z } from "zod";
import { CreateComment } from "../comments/schema.ts";
import { Id, text } from "../core/schema.ts";
import { Ref } from "./_fields.ts";
import { findPerson, type Named } from "./_people.ts";
import { defineTool } from "./tool.ts";

export const comment = defineTool({
  name: "comment",
  title: "Comment on a ticket",
  description:
    "Writes a comment for the people and agents who watch the ticket, and notifies those in mention. If you need an " +
    "answer, use ask_human.",
  calls: ["comments.create"],
  optional: ["projects.people"],
  input: z.strictObject({
    ticket: Ref,
    body: CreateComment.shape.body.meta({ description: "Markdown" }),
    mention: z.array(text(1, 320)).max(10).optional().describe("Names or e-mail addresses"),
    reply_to: Id.optional().describe("Id of a comment"),
    idempotency_key: CreateComment.shape.idempotency_key,
  }),
  output: z.object({
    comment_id: z.string(),
    mentioned: z.array(z.string()).optional(),
    replayed: z.boolean(),
  }),
  async run({ call, locate }, { ticket, reply_to: parent_id, body, mention = [], ...draft }) {
    const address = await locate(ticket);
    const people = new Map<string, Named>();
    let mentioning = body;
    for (const [at, named] of mention.entries()) {
      const person = await findPerson({ call }, { projectId: address.id, named, field: `mention.${at}` });
      if (!people.has(person.id)) mentioning = withMention(mentioning, named, person);
      people.set(person.id, person);
    }
    const made = await call("comments.create", { ...address, parent_id, body: mentioning, ...draft });
    return {
      comment_id: made.id,
      ...(people.size > 0 && { mentioned: [...people.values()].map(({ name }) => name) }),
      replayed: made._idempotent_replay ?? false,
    };
  },
});

/** Writes the mention in place of `@name`, or before the text. */
function withMention(body: string, named: string, { id, name }: Named): string {
  const mention = `@[${name.replace(/[[\]\n]/g, " ")}](${id})`;
  const written = `@${named.replace(/^@/, "").trim()}`;
  const at = body.toLowerCase().indexOf(written.toLowerCase());
  if (at < 0) return `${mention} ${body}`;
  return body.slice(0, at) + mention + body.slice(at + written.length);
}
