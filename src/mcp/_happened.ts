import { z } from "zod";
import type { NewsItem } from "../news/schema.ts";
import { taskName } from "../tasks/schema.ts";
import { cutText } from "./_budget.ts";

/** Words about an act of somebody else. */
export const Happened = z.object({
  ticket: z.string(),
  what: z.string(),
  by: z.string(),
  is_agent: z.boolean(),
  text: z.string().nullable().describe("Their own words"),
  comment_id: z.string().optional(),
  at: z.string(),
});
export type Happened = z.infer<typeof Happened>;

/** Fields of a ticket or task whose new values say enough. */
const TOLD_VALUES = [
  "stage",
  "status",
  "title",
  "priority",
  "blocking",
  "resolution_type",
  "merge_sha",
  "role",
];

/** @param maxBytes of its text */
export function happened(item: NewsItem, maxBytes: number): Happened {
  const { ticket_ref: ticket, by, at, entity_id, text, type } = item;
  return {
    ticket,
    what: [sentence(item), ...nowReady(item)].join("; "),
    by: by.name ?? "unknown",
    is_agent: by.kind === "agent",
    text: cutText(text, maxBytes, "get_ticket has the rest"),
    ...(type === "comment.created" && { comment_id: entity_id }),
    at,
  };
}

function sentence(item: NewsItem): string {
  const [entity, what] = item.type.split(".") as [string, string];
  const subject = item.subject === null ? "" : ` "${cutText(item.subject, 200, "get_ticket has the rest")}"`;
  switch (entity) {
    case "comment":
      return "commented";
    case "question":
      return [`question${subject} ${what}`, ...item.chosen].join(": ");
    case "test_case":
      return `test case${subject} ${what === "changed" ? `is ${item.changed.status} again` : what}`;
    case "link":
      return "the links of the ticket changed";
    case "role":
      return `role ${item.subject} is ${item.changed.status}`;
    case "task":
      return `task ${taskName(item.ticket_ref, { number: item.task_number ?? 0 })}${subject} ${
        what === "created" ? "added" : stateOf(item)
      }`;
    default:
      if (what === "unblocked") return "ticket waits for no other one any more";
      return `ticket ${what === "changed" ? changesOf(item) : `${what}, ${changesOf(item)}`}`;
  }
}

function stateOf(item: NewsItem): string {
  const { status } = item.changed;
  return status === undefined ? changesOf(item) : `is ${status}`;
}

/** The changed fields, with the new values of those that say enough. */
function changesOf({ changed }: NewsItem): string {
  return Object.entries(changed).filter(([field]) => !field.endsWith("_at") && field !== "started_by").map((
    [field, value],
  ) => TOLD_VALUES.includes(field) ? `${field} is ${value}` : `${field} changed`).join(", ");
}

function nowReady({ ready, ticket_ref }: NewsItem): string[] {
  return ready.map((number) => `task ${taskName(ticket_ref, { number })} can be claimed`);
}
