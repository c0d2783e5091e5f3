import type { ProjectContext } from "../core/context.ts";
import { decodeCursor, page } from "../core/cursor.ts";
import { pageLimit } from "../core/planner.ts";
import { requireTicket } from "../tickets/get.ts";
import type { ListPullRequests, PullRequest } from "./schema.ts";

/** Returns one page of the pull requests to which a ticket is linked, the earliest link first. */
export async function listPullRequests(ctx: ProjectContext, input: ListPullRequests) {
  const { db, project } = ctx;
  await requireTicket(ctx, input.ticketId);
  const [time, id] = input.cursor ? decodeCursor(input.cursor, ["time", "id"]) : [null, null];
  const pulls = await db<(PullRequest & { id: string })[]>`
    select id, repo, number, url, state, created_at, updated_at from ticket_pull_requests
    where ticket_id = ${input.ticketId}::uuid and project_id = ${project.id}::uuid
      ${time === null ? db`` : db`and (created_at, id) > (${time!}::timestamptz, ${id!}::uuid)`}
    order by created_at, id limit ${pageLimit(db, input.limit)}`;
  const { items, next_cursor } = page(pulls, input.limit, ({ created_at, id }) => [created_at, id]);
  return { pull_requests: items, next_cursor };
}
