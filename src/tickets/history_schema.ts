import { z } from "zod";
import { Author, LargeInteger, NextCursor, Page, Timestamp } from "../core/schema.ts";
import { TicketPath } from "./schema.ts";

export const ListHistory = TicketPath.extend(Page.shape).extend({
  sort: z.enum(["at", "-at"]).default("at").describe("`-at`: the latest change first"),
});
export type ListHistory = z.infer<typeof ListHistory>;

export const HistoryEntry = z.object({
  id: LargeInteger,
  at: Timestamp,
  actor: Author,
  request_id: z.string().nullable(),
  entity: z.string().describe("ticket, role, task, test_case or another thing that belongs to the ticket"),
  entity_id: z.string(),
  action: z.string().describe(
    "created, changed, deleted, or the name of an event such as human_test_gate_skipped",
  ),
  field: z.string().nullable().describe(
    "The field that changed; null if the whole thing was created or deleted, or if an event happened",
  ),
  from: z.unknown().describe("The value before; null if there was none"),
  to: z.unknown().describe("The value after; null if there is none"),
}).meta({ id: "HistoryEntry" });
export type HistoryEntry = z.infer<typeof HistoryEntry>;

export const HistoryPage = z.object({ history: z.array(HistoryEntry), next_cursor: NextCursor });
