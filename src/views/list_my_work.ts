import { hasScope, visibleProjects } from "../core/access.ts";
import type { ActorContext } from "../core/context.ts";
import { decodeCursor, page } from "../core/cursor.ts";
import { pageLimit } from "../core/planner.ts";
import { lineColumns } from "../inbox/lines.ts";
import type { ListMyWork, MyWorkItem } from "./schema.ts";

interface WorkRow extends MyWorkItem {
  id: string;
  /** 0 if others wait for the ticket, otherwise 1. */
  tier: number;
  due: number;
}

/** A ticket without a due date comes after each day. */
const NEVER = 2_147_483_647;
const MOST_TASKS = 10;

/**
 * Returns the open tickets of all projects that are assigned to the caller, or of which the caller has
 * an unfinished task. Tickets for which others wait come first, then by due date and age. The page is
 * chosen before more is read, so the cost grows with the caller's own work and not with the tickets.
 */
export async function listMyWork(ctx: ActorContext, { cursor, limit }: ListMyWork) {
  const { db, actor } = ctx;
  const { user } = actor;
  const ofTasks = hasScope(actor, "tasks:read")
    ? db`union select a.ticket_id from tasks a where a.assignee_user_id = ${user.id}::uuid and a.status not in ('done', 'skipped')`
    : db``;
  const rows = await db<WorkRow[]>`
    with reach as materialized (
      select id from projects where archived_at is null and id in ${visibleProjects(db, actor)}
    ), mine as materialized (
      select t.id, t.project_id, t.blocking, t.due_on, (
        select count(*)::integer from ticket_links l join tickets b on b.id = l.ticket_id and b.status = 'open'
        where l.other_id = t.id and l.kind = 'blocked_by') as blocks
      from (select id from tickets where assignee_user_id = ${user.id}::uuid ${ofTasks}) m
      join tickets t on t.id = m.id
      where t.status = 'open' and t.project_id in (select id from reach)
    ), ranked as (
      select m.*, case when m.blocking or m.blocks > 0 then 0 else 1 end as tier,
        coalesce(m.due_on - date '2000-01-01', ${NEVER}) as due
      from mine m
    ), w as materialized (
      select * from ranked r where ${after(ctx, cursor)}
      order by r.tier, r.due, r.id limit ${pageLimit(db, limit)}
    )
    select w.id, w.tier, w.due, coalesce(t.assignee_user_id = ${user.id}::uuid, false) as assigned, t.due_on, t.open_blockers, w.blocks,
      ${lineColumns(ctx)}, ${tasksOf(ctx)} as my_tasks
    from w join tickets t on t.id = w.id join projects p on p.id = w.project_id
    order by w.tier, w.due, w.id`;
  const { items, next_cursor } = page(rows, limit, ({ tier, due, id }) => [tier, due, id]);
  return { work: items.map(({ id: _, tier: __, due: ___, ...item }) => item), next_cursor };
}

function tasksOf({ db, actor }: ActorContext) {
  if (!hasScope(actor, "tasks:read")) return db`'[]'::jsonb`;
  return db`coalesce((
    select jsonb_agg(jsonb_build_object('id', a.id, 'number', a.number, 'title', a.title, 'status', a.status) order by a.sequence)
    from (select * from tasks where ticket_id = t.id and assignee_user_id = ${actor.user.id}::uuid
      and status not in ('done', 'skipped') order by sequence limit ${MOST_TASKS}) a), '[]'::jsonb)`;
}

function after({ db }: ActorContext, cursor: string | undefined) {
  if (!cursor) return db`true`;
  const [tier, due, id] = decodeCursor(cursor, ["integer", "integer", "id"]) as [number, number, string];
  return db`(r.tier, r.due, r.id) > (${tier}::integer, ${due}::integer, ${id}::uuid)`;
}
