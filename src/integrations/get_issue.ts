import type { ProjectContext } from "../core/context.ts";
import { requireTicket } from "../tickets/get.ts";
import { readLink } from "./_issue_links.ts";
import type { LinkedIssue } from "./schema.ts";

/** The issue that a ticket is linked to; all null when there is none. */
export async function getLinkedIssue(ctx: ProjectContext, input: { ticketId: string }): Promise<LinkedIssue> {
  await requireTicket(ctx, input.ticketId);
  return await readLink(ctx, input.ticketId);
}
