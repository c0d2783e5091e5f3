import type { ProjectContext } from "../core/context.ts";
import { requireTicket } from "../tickets/get.ts";
import type { TicketPath } from "../tickets/schema.ts";
import { readLink } from "./_issue_links.ts";
import type { LinkedIssue } from "./schema.ts";

/** Returns the issue that a ticket is linked to; all fields are null if there is none. */
export async function getLinkedIssue(ctx: ProjectContext, input: TicketPath): Promise<LinkedIssue> {
  await requireTicket(ctx, input.ticketId);
  return await readLink(ctx, input.ticketId);
}
