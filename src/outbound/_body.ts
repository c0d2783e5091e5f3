import { withNames } from "../comments/mentions.ts";
import { withoutPings } from "../core/chat_text.ts";
import type { Event } from "../core/events.ts";
import { keyOf } from "../tickets/schema.ts";
import type { Endpoint } from "./schema.ts";

export const TEST_TYPE = "webhook.test";

export type Told = Event & {
  /** The changed values, if the endpoint's settings ask for them. */
  changes?: Record<string, [from: unknown, to: unknown]>;
  /**
   * The text of a question or comment, for people in a chat, who can't look it up as a program can.
   */
  text?: string;
  /** How many such parts of the ticket one act has created, for people in a chat, too. */
  count?: number;
};

/** The length to which a chat message cuts such a text, in characters. */
const TEXT_LENGTH = 300;

export function bodyOf(
  { format }: Pick<Endpoint, "format">,
  told: Told | { type: typeof TEST_TYPE; at: string; project_id: string },
  publicUrl: string,
): string {
  if (format === "standard") return JSON.stringify(told);
  const text = "entity" in told ? sentenceOf(told, publicUrl) : "This is a test of the webhook. It works.";
  return JSON.stringify({ text, blocks: [{ type: "section", text: { type: "mrkdwn", text } }] });
}

/** `<https://…|HO-12 Upload fails>: task blocked, by Ada`. */
function sentenceOf(
  { type, ticket, entity, entity_id, changed, actor, project_id, text, count = 1 }: Told,
  publicUrl: string,
): string {
  const [, action = ""] = type.split(".");
  const words = action.replaceAll("_", " ");
  const who = actor.name ?? actor.id;
  const part = entity.replaceAll("_", " ");
  const what = entity === "ticket" ? words : count > 1 ? `${count} ${part}s ${words}` : `${part} ${words}`;
  const fields = action === "changed" && changed.length > 0
    ? ` (${changed.join(", ").replaceAll("_", " ")})`
    : "";
  const subject = ticket
    ? `<${publicUrl}/${keyOf(ticket.ticket_ref)}/tickets/${ticket.ticket_ref}|${ticket.ticket_ref} ${
      escape(withNames(ticket.title))
    }>`
    : escape(entity_id) || project_id;
  const said = text === undefined ? "" : `: ${escape(cut(withNames(text), TEXT_LENGTH))}`;
  return `${subject}: ${what}${fields}, by ${escape(who)}${said}`;
}

function cut(text: string, length: number): string {
  const points = [...text];
  return points.length <= length ? text : `${points.slice(0, length - 1).join("")}…`;
}

/** Escapes Slack's three characters, and the bars and brackets of its links. */
function escape(text: string): string {
  return withoutPings(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
    .replaceAll("|", "¦")
    .replaceAll("\n", " ");
}
