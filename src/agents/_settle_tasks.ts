import type { Context } from "../core/context.ts";
import { minutesBetween } from "../tasks/minutes.ts";
import { cleanText } from "./_clean_text.ts";
import type { RunStatus } from "./schema.ts";

/** How the run left a task, and what it took away: a later event starts from what was there before. */
export interface SettledTask {
  id: string;
  status: string;
  blocking_reason: string | null;
  completed_at: string | null;
  assignee_user_id: string | null;
  assignee_session_id: string | null;
  started_at: string | null;
  actual_minutes: number | null;
}

interface Run {
  ticket_id: string;
  agent_id: string;
  task_ids: string[];
  event_at: string | null;
  settled_tasks: SettledTask[];
}

interface End {
  status: RunStatus;
  /** The sender's time of the event. */
  at: string;
  summary: string | null;
}

const NO_SUMMARY = "The agent failed and gave no reason";
const MAX_REASON = 2000;

/**
 * The run's tasks after its end: finished leaves done what has its criteria met and gives the rest back; failed
 * blocks them. They are the ones in progress, and those that stand as its last event left them.
 */
export async function settleTasks(
  ctx: Context,
  run: Run,
  { status, at, summary }: End,
): Promise<SettledTask[]> {
  // By the sender's clock, which may be behind or ahead of the one that the beginning was taken from.
  const ended = ctx.db`least(greatest(${at}::timestamptz, h.started_at), now())`;
  return await ctx.db<SettledTask[]>`
    with earlier as (
      select * from jsonb_to_recordset(${
    JSON.stringify(run.settled_tasks)
  }::text::jsonb) as e (id uuid, status text,
        blocking_reason text, completed_at timestamptz, assignee_user_id uuid, assignee_session_id text, started_at timestamptz, actual_minutes integer)
    ), held as (
      select t.id, t.version, coalesce(e.assignee_user_id, t.assignee_user_id) as assignee_user_id,
        coalesce(e.assignee_session_id, t.assignee_session_id) as assignee_session_id,
        coalesce(e.started_at, t.started_at) as started_at,
        case when e.id is null then t.actual_minutes else e.actual_minutes end as actual_minutes,
        case when ${status === "failed"} then 'blocked'
          when exists (select from jsonb_array_elements(t.acceptance_criteria) c where c -> 'done' <> 'true') then 'pending'
          else 'done' end as status
      from tasks t left join earlier e on e.id = t.id
        and (e.status, e.blocking_reason, e.completed_at) is not distinct from (t.status, t.blocking_reason, t.completed_at)
        and t.assignee_user_id is not distinct from case when e.status <> 'pending' then e.assignee_user_id end
      where t.ticket_id = ${run.ticket_id}::uuid and (e.id is not null or t.status = 'in_progress' and (
        t.assignee_session_id = ${run.agent_id} or t.id = any (${run.task_ids}::uuid[]) and (
          ${run.event_at === null} or t.assignee_session_id is null)))
    ), settled as (
      update tasks t set status = h.status, lease_expires_at = null,
        assignee_user_id = case when h.status <> 'pending' then h.assignee_user_id end,
        assignee_session_id = case when h.status <> 'pending' then h.assignee_session_id end,
        started_at = case when h.status <> 'pending' then h.started_at end,
        blocking_reason = case when h.status = 'blocked' then ${
    cleanText(summary, MAX_REASON) ?? NO_SUMMARY
  } end,
        completed_at = case when h.status = 'done' then ${ended} end,
        actual_minutes = case h.status when 'done' then coalesce(h.actual_minutes, ${
    minutesBetween(ctx.db, ctx.db`h.started_at`, ended)
  }) when 'blocked' then h.actual_minutes end,
        version = t.version + 1, updated_at = now()
      from held h where t.id = h.id and t.version = h.version
      returning t.id, t.status, t.blocking_reason, t.completed_at
    )
    select s.id, s.status, s.blocking_reason, s.completed_at, h.assignee_user_id, h.assignee_session_id, h.started_at, h.actual_minutes
    from settled s join held h on h.id = s.id order by s.id`;
}
