import type { Db } from "../../db/open.ts";
import { isBot, type ProjectContext } from "../core/context.ts";
import { afterId, page } from "../core/cursor.ts";
import { bytesOf, withinBytes } from "../core/long_texts.ts";
import { literal, ofProject, pageLimit, preparedForFew } from "../core/planner.ts";
import { claimable, mayClaim } from "./_claims.ts";
import { isHeld, TASK_TEXTS, taskColumns } from "./_rows.ts";
import { isReadyWithoutTasks } from "./_without_tasks.ts";
import type { ListProjectTasks, ProjectTask, TicketWithoutTasks } from "./schema.ts";

/** Returns one page of all tasks of a project, oldest first. */
export async function listProjectTasks(ctx: ProjectContext, input: ListProjectTasks) {
  const { db, project } = ctx;
  const { assignee_user_id, role, ready, held, ticket_id, limit, cursor } = input;
  const rows = db`
    select t.* from tasks t
    where ${ofProject(db, "t.project_id", project.id)} ${ofStatus(db, input)}
      ${assignee_user_id ? db`and t.assignee_user_id = ${assignee_user_id}::uuid` : db``}
      ${role ? db`and t.role = ${literal(db, role)}` : db``}
      ${ready === undefined ? db`` : db`and ${ready ? db`` : db`not`} (${claimable(ctx)})`}
      ${ticket_id ? db`and t.ticket_id = ${ticket_id}::uuid` : db``}
      ${held === undefined ? db`` : db`and ${held ? db`` : db`not`} (${isHeldClaim(ctx, input.session_id)})`}
      ${afterId(db, "t.id", cursor)}
    order by t.project_id, t.id fetch first ${pageLimit(db, limit)} rows only`;
  const order = db`project_id, id`;
  const query = db<ProjectTask[]>`
    select ${taskColumns(db)}, t.found,
      ${project.key} || '-' || (select k.number from tickets k where k.id = t.ticket_id) as ticket_ref,
      (select k.status from tickets k where k.id = t.ticket_id) as ticket_status
    from ${withinBytes(ctx, { rows, order, size: bytesOf(db, TASK_TEXTS) })} t
    order by t.project_id, t.id limit ${pageLimit(db, limit)}`;
  const choices = { assignee_user_id, role, ready, held, ticket_id, limit, status: input.status };
  const [found, tickets] = await Promise.all([preparedForFew(choices, query), readyTickets(ctx, input)]);
  const { items, next_cursor } = page(found, limit, ({ id }) => [id]);
  return { tasks: items, next_cursor, ...(tickets && { tickets }) };
}

/** Lists the oldest ready tickets without tasks, beside the first page of ready tasks. */
async function readyTickets(
  ctx: ProjectContext,
  { ready, role, assignee_user_id, status, cursor, ticket_id, limit }: ListProjectTasks,
): Promise<TicketWithoutTasks[] | undefined> {
  const { db, project } = ctx;
  if (!ready || cursor !== undefined) return undefined;
  const asksForTheirs = assignee_user_id !== undefined ||
    (status !== undefined && status !== "pending" && status !== "unfinished");
  if (asksForTheirs || !mayClaim(ctx)) return [];
  return await db<TicketWithoutTasks[]>`
    select k.id, ${project.key} || '-' || k.number as ticket_ref, k.title,
      array(select r.role from ticket_roles r where r.ticket_id = k.id and r.status in ('pending', 'in_progress')
        order by r.role) as roles
    from tickets k where ${ofProject(db, "k.project_id", project.id)} and ${isReadyWithoutTasks(db, role)}
      ${ticket_id === undefined ? db`` : db`and k.id = ${ticket_id}::uuid`}
    order by k.project_id, k.id limit ${limit}`;
}

/**
 * Tells whether the caller claimed `tasks t` and still works on it. Without a name, the claims of
 * all of a key's agents count.
 */
function isHeldClaim(ctx: ProjectContext, named: string | undefined) {
  const { db, actor } = ctx;
  const own = isBot(actor) && named === undefined
    ? db`t.claimed_with = ${actor.credential.id}::uuid`
    : isHeld(ctx, named);
  return db`coalesce(t.status in ('in_progress', 'blocked') and t.assignee_session_id is not null and ${own}, false)`;
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
