import type { ProjectContext } from "../core/context.ts";
import { afterId, page } from "../core/cursor.ts";
import { literal, pageLimit } from "../core/planner.ts";
import { requireTicket } from "../tickets/get.ts";
import { questionColumns } from "./_rows.ts";
import type { ListQuestions, Question } from "./schema.ts";

/** Returns one page of a ticket's questions, oldest first. */
export async function listQuestions(ctx: ProjectContext, { ticketId, status, limit, cursor }: ListQuestions) {
  const { db, project } = ctx;
  // The cursor is parsed before the reads start. If a wrong cursor threw an error between the two
  // reads, nothing would await the first read.
  const after = afterId(db, "q.id", cursor);
  const [, rows] = await Promise.all([
    requireTicket(ctx, ticketId),
    db<Question[]>`
      select ${questionColumns(ctx)} from questions q
      where q.ticket_id = ${ticketId}::uuid and q.project_id = ${project.id}::uuid ${after}
        ${status ? db`and q.status = ${literal(db, status)}` : db``}
      order by q.id limit ${pageLimit(db, limit)}`,
  ]);
  const { items, next_cursor } = page(rows, limit, ({ id }) => [id]);
  return { questions: items, next_cursor };
}
