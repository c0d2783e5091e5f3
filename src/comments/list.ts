import type { ProjectContext } from "../core/context.ts";
import { afterId, page } from "../core/cursor.ts";
import { pageLimit } from "../core/planner.ts";
import { requireTicket } from "../tickets/get.ts";
import { commentColumns } from "./_rows.ts";
import type { Comment, ListComments } from "./schema.ts";

/** Returns one page of a ticket's comments, oldest first. Deleted comments have no text. */
export async function listComments(ctx: ProjectContext, { ticketId, limit, cursor }: ListComments) {
  const { db, project } = ctx;
  // The cursor is parsed before the reads start. If a wrong cursor threw an error between the two
  // reads, nothing would await the first read.
  const after = afterId(db, "c.id", cursor);
  const [, rows] = await Promise.all([
    requireTicket(ctx, ticketId),
    db<Comment[]>`
      select ${commentColumns(db)} from comments c
      where c.ticket_id = ${ticketId}::uuid and c.project_id = ${project.id}::uuid ${after}
      order by c.id limit ${pageLimit(db, limit)}`,
  ]);
  const { items, next_cursor } = page(rows, limit, ({ id }) => [id]);
  return { comments: items, next_cursor };
}
