import { z } from "zod";
import { Speaker } from "../comments/schema.ts";
import {
  LargeInteger,
  LargeQueryInteger,
  line,
  OffsetTime,
  queryInteger,
  Timestamp,
} from "../core/schema.ts";
import { TicketPath } from "../tickets/schema.ts";

/** Something that others did on a ticket. */
export const NewsItem = z.object({
  id: LargeInteger.describe("Later items of a ticket have higher ids"),
  at: Timestamp,
  ticket_ref: z.string(),
  type: z.string().describe("The type of its event, such as test_case.rejected"),
  entity_id: z.string(),
  by: Speaker.describe("Without an id for what the service or another system did by itself"),
  subject: z.string().nullable().describe("The thing's title, the question's prompt, or the role"),
  task_number: z.int().nullable(),
  chosen: z.array(z.string()).describe("The labels of the options that answer a question"),
  text: z.string().nullable().describe("The comment, the note of a decision, the answer, or the reason"),
  changed: z.record(z.string(), z.unknown()).describe(
    "The changed fields with their new values, if these are short",
  ),
  ready: z.array(z.int()).describe("The numbers of the tasks that can be claimed because of it"),
  mine: z.boolean().describe("The caller asked the question"),
}).meta({ id: "NewsItem" });
export type NewsItem = z.infer<typeof NewsItem>;

const AgentName = line(1, 128).optional().describe(
  "The name of one of the agents that share the API key. Each is told everything",
);

export const ListNews = z.strictObject({
  agent: AgentName,
  since: OffsetTime.optional().describe("Everything after this time, even if the agent has seen it"),
  limit: queryInteger(1, 50, 20),
});
export type ListNews = z.infer<typeof ListNews>;

export const NewsList = z.object({
  news: z.array(NewsItem),
  more: z.boolean().describe("There is more. Mark these as seen, and list again"),
});
export type NewsList = z.infer<typeof NewsList>;

export const MarkNews = z.strictObject({
  agent: AgentName,
  ids: z.array(LargeInteger.min(1)).min(1).max(50).describe("The items that the agent has seen"),
});
export type MarkNews = z.infer<typeof MarkNews>;

export const ListTicketNews = TicketPath.extend({
  after: LargeQueryInteger.optional().describe(
    "Only items after this id. If absent, the items after the caller's own last act on the ticket; for a caller " +
      "who never acted on it, only the answers to its questions",
  ),
});
export type ListTicketNews = z.infer<typeof ListTicketNews>;

export const TicketNews = z.object({
  news: z.array(NewsItem),
  last: LargeInteger.describe("The id to send as `after` for what happens from now on"),
});
export type TicketNews = z.infer<typeof TicketNews>;
