import type { Db } from "../../db/open.ts";
import type { ProjectContext } from "../core/context.ts";
import { afterId, page } from "../core/cursor.ts";
import { bytesOf, withinBytes } from "../core/long_texts.ts";
import { literal, ofProject, pageLimit, preparedForFew } from "../core/planner.ts";
import { claimable } from "./_claims.ts";
import { TASK_TEXTS, taskColumns } from "./_rows.ts";
import type { ListProjectTasks, ProjectTask } from "./schema.ts";

/** Returns one page of all tasks of a project, oldest first. */
export async function listProjectTasks(ctx: ProjectContext, input: ListProjectTasks) {
  const { db, project } = ctx;
  const { assignee_user_id, role, ready, limit, cursor } = input;
  const rows = db`
    select t.* from tasks t
    where ${ofProject(db, "t.project_id", project.id)} ${ofStatus(db, input)}
      ${assignee_user_id ? db`and t.assignee_user_id = ${assignee_user_id}::uuid` : db``}
      ${role ? db`and t.role = ${literal(db, role)}` : db``}
      ${ready === undefined ? db`` : db`and ${ready ? db`` : db`not`} (${claimable(ctx)})`}
      ${afterId(db, "t.id", cursor)}
    order by t.project_id, t.id fetch first ${pageLimit(db, limit)} rows only`;
  const order = db`project_id, id`;
  const query = db<ProjectTask[]>`
    select ${taskColumns(db)}, t.found,
      ${project.key} || '-' || (select k.number from tickets k where k.id = t.ticket_id) as ticket_ref,
      (select k.status from tickets k where k.id = t.ticket_id) as ticket_status
    from ${withinBytes(ctx, { rows, order, size: bytesOf(db, TASK_TEXTS) })} t
    order by t.project_id, t.id limit ${pageLimit(db, limit)}`;
  const choices = { assignee_user_id, role, ready, limit, status: input.status };
  const { items, next_cursor } = page(await preparedForFew(choices, query), limit, ({ id }) => [id]);
  return { tasks: items, next_cursor };
}

/**
 * Writes the status as a literal, like the role, so that a prepared statement is planned for it. A
 * ready task is always unfinished, so `ready` leaves that condition out. With both conditions, the
 * planner would expect few rows and sort all of them for one page.
 */
function ofStatus(db: Db, { status, ready }: ListProjectTasks) {
  if (status === undefined || status === "unfinished" && ready) return db``;
  if (status === "unfinished") return db`and t.status in ('pending', 'in_progress', 'blocked')`;
  return db`and t.status = ${literal(db, status)}`;
}
