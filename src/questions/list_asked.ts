import { projectsFor, roleInProject } from "../core/access.ts";
import type { ActorContext } from "../core/context.ts";
import { afterId, page } from "../core/cursor.ts";
import { literal, pageLimit } from "../core/planner.ts";
import { askedBy } from "./asker.ts";
import { questionColumnsOf } from "./_rows.ts";
import type { ListAskedQuestions, Question } from "./schema.ts";

/**
 * Returns one page of the questions that the caller has asked, newest first, in all projects
 * that it may still see.
 */
export async function listAskedQuestions(ctx: ActorContext, input: ListAskedQuestions) {
  const { db, actor: { user, credential } } = ctx;
  const { status, ended_after: endedAfter, limit, cursor } = input;
  const rows = await db<Question[]>`
    select ${questionColumnsOf(db, db`p.key`)} from ${projectsFor(db, user.id)}
    join questions q on q.project_id = p.id and q.created_by = u.id
    where ${roleInProject(db)} is not null and ${askedBy(db, ctx.actor)}
      ${
    credential.type === "key" && credential.project_id ? db`and p.id = ${credential.project_id}::uuid` : db``
  }
      ${status ? db`and q.status = ${literal(db, status)}` : db``}
      ${endedAfter ? db`and q.ended_at > ${endedAfter}::timestamptz` : db``}
      ${afterId(db, "q.id", cursor, "desc")}
    order by q.id desc limit ${pageLimit(db, limit)}`;
  const { items, next_cursor } = page(rows, limit, ({ id }) => [id]);
  return { questions: items, next_cursor };
}
