import { z } from "zod";
import { Id, NoCursor, Timestamp } from "../core/schema.ts";
import { LinkedTicket, Replayed, TicketName, TicketPath } from "../tickets/schema.ts";

/** Links of a ticket, in both directions. */
export const MAX_LINKS = 200;

export const LinkKind = z.enum(["blocks", "blocked_by", "relates", "duplicates"]);
export type LinkKind = z.infer<typeof LinkKind>;

export const Link = z.object({
  id: Id,
  kind: z.enum([...LinkKind.options, "duplicated_by"]).describe(
    "How this ticket stands to the other one",
  ),
  ticket: LinkedTicket.describe("The other ticket"),
  created_at: Timestamp,
}).meta({ id: "Link" });
export type Link = z.infer<typeof Link>;

export const CreatedLink = Link.extend(Replayed).meta({ id: "CreatedLink" });
export type CreatedLink = z.infer<typeof CreatedLink>;

export const LinkList = z.object({
  links: z.array(Link).describe(
    "All but the duplicates of this ticket after the first 200, which the list of duplicates has",
  ),
  hidden: z.int().describe("Further links to tickets that the caller may not see"),
  next_cursor: NoCursor,
});
export type LinkList = z.infer<typeof LinkList>;

export const CreateLink = TicketPath.extend({
  kind: LinkKind.describe("duplicates: this ticket is a duplicate of the other one"),
  ticket: TicketName.describe("The other ticket, by id or ref; it may be of another project of the account"),
});
export type CreateLink = z.infer<typeof CreateLink>;

export const LinkPath = TicketPath.extend({ linkId: Id });
export type LinkPath = z.infer<typeof LinkPath>;
