import type { ProjectContext } from "../core/context.ts";
import { afterId, page } from "../core/cursor.ts";
import { literal, pageLimit } from "../core/planner.ts";
import { requireTicket } from "../tickets/get.ts";
import { questionColumns } from "./_rows.ts";
import type { ListQuestions, Question } from "./schema.ts";

/** Returns one page of a ticket's questions. */
export async function listQuestions(ctx: ProjectContext, input: ListQuestions) {
  const { ticketId, status, sort, limit, cursor } = input;
  const direction = sort === "-at" ? "desc" : "asc";
  const { db, project } = ctx;
  // The cursor is parsed before the reads start. If a wrong cursor threw an error between the two
  // reads, nothing would await the first read.
  const after = afterId(db, "q.id", cursor, direction);
  const [, rows] = await Promise.all([
    requireTicket(ctx, ticketId),
    db<Question[]>`
      select ${questionColumns(ctx)} from questions q
      where q.ticket_id = ${ticketId}::uuid and q.project_id = ${project.id}::uuid ${after}
        ${status ? db`and q.status = ${literal(db, status)}` : db``}
      order by q.id ${db.unsafe(direction)} limit ${pageLimit(db, limit)}`,
  ]);
  const { items, next_cursor } = page(rows, limit, ({ id }) => [id]);
  return { questions: items, next_cursor };
}
