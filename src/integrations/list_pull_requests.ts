import type { ProjectContext } from "../core/context.ts";
import { requireTicket } from "../tickets/get.ts";
import type { TicketPath } from "../tickets/schema.ts";
import type { PullRequest } from "./schema.ts";

/** The pull requests that a ticket is linked to, the first one first. */
export async function listPullRequests(ctx: ProjectContext, input: TicketPath) {
  await requireTicket(ctx, input.ticketId);
  const pulls = await ctx.db<PullRequest[]>`
    select repo, number, url, state, created_at, updated_at from ticket_pull_requests
    where ticket_id = ${input.ticketId}::uuid and project_id = ${ctx.project.id}::uuid order by created_at, id`;
  return { pull_requests: pulls, next_cursor: null };
}
