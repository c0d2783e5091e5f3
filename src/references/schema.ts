import { z } from "zod";
import { NextCursor, NoCursor, Page, Timestamp } from "../core/schema.ts";
import { LinkedTicket, TicketPath } from "../tickets/schema.ts";

/** The tickets that the texts of one ticket name. */
export const MAX_REFERENCES = 200;

export const ReferenceList = z.object({
  references: z.array(LinkedTicket).describe(
    "Tickets that the texts of this one name and the caller may see, the first 200 by ref",
  ),
  next_cursor: NoCursor,
});
export type ReferenceList = z.infer<typeof ReferenceList>;

export const ReferringTicket = z.object({
  ticket: LinkedTicket.describe("The ticket that names this one"),
  parts: z.array(z.string()).describe(
    "The kinds of texts of it that do so: ticket, task, test_case, comment or question",
  ),
  last_at: Timestamp.describe("When a text of it named this one last"),
}).meta({ id: "ReferringTicket" });
export type ReferringTicket = z.infer<typeof ReferringTicket>;

export const ListReferring = TicketPath.extend(Page.shape);
export type ListReferring = z.infer<typeof ListReferring>;

export const ReferringList = z.object({
  referring: z.array(ReferringTicket),
  next_cursor: NextCursor,
});
export type ReferringList = z.infer<typeof ReferringList>;
