import type { Context } from "../core/context.ts";
import { newVersion } from "../core/if_match.ts";
import { jsonb } from "../core/json.ts";
import { minutesBetween } from "../tasks/minutes.ts";
import type { Task, TaskStatus } from "../tasks/schema.ts";
import { NEVER_STARTED } from "../assignments/released_columns.ts";
import { cleanText } from "./_clean_text.ts";
import type { RunStatus } from "./schema.ts";

/**
 * A task's state after the run, with the assignee and claim that it had before, because a later
 * event starts from them.
 */
export interface SettledTask {
  id: string;
  status: TaskStatus;
  blocking_reason: string | null;
  completed_at: string | null;
  assignee_user_id: string | null;
  assignee_session_id: string | null;
  started_at: string | null;
  actual_minutes: number | null;
  /**
   * The minutes that the run wrote. If the task's minutes differ, somebody has entered them since.
   * Older runs lack this field.
   */
  minutes_left?: number | null;
}

interface Run {
  ticket_id: string;
  agent_id: string;
  task_ids: string[];
  event_at: string | null;
  settled_tasks: SettledTask[];
  ticket_open: boolean;
}

interface End {
  status: RunStatus;
  /** The time of the event by the sender's clock. */
  at: string;
  summary: string | null;
}

const NO_SUMMARY = "The agent failed and gave no reason";
const MAX_REASON = 2000;

/**
 * Returns the run's tasks after its end. A finished run completes the tasks whose criteria are met
 * and releases the others; a failed run blocks them. The run's tasks are those in progress and
 * those that are still as its last event left them. If the ticket was closed since, the latter
 * stay, because the person who closed it accepted them as they were.
 */
export async function settleTasks(ctx: Context, run: Run, end: End): Promise<SettledTask[]> {
  const earlier = new Map(run.settled_tasks.map((task) => [task.id, task]));
  const settled = (await lockTasks(ctx, run)).flatMap(({ acceptance_criteria, now, ...task }) => {
    const before = beforeEnd(run, task, earlier.get(task.id));
    const isDone = acceptance_criteria.every(({ done }) => done);
    return before ? [settle(before, isDone, end, now)] : [];
  });
  const left = settled.length > 0 ? await write(ctx, settled) : [];
  if (run.ticket_open) return left;
  return [...earlier.values(), ...left];
}

/** Locks the tasks. The ticket's lock isn't enough, because claims don't take it. */
async function lockTasks({ db }: Context, run: Run) {
  return await db<(SettledTask & Pick<Task, "acceptance_criteria"> & { now: string })[]>`
    select id, status, blocking_reason, completed_at, assignee_user_id, assignee_session_id, started_at, actual_minutes,
      acceptance_criteria, clock_timestamp() as now
    from tasks where ticket_id = ${run.ticket_id}::uuid order by id for update`;
}

/**
 * Returns the state from which an end starts; null for a task that isn't the run's, or no longer
 * is.
 */
function beforeEnd(run: Run, task: SettledTask, earlier: SettledTask | undefined): SettledTask | null {
  if (earlier && isAsLeft(task, earlier)) return run.ticket_open ? withEnteredMinutes(earlier, task) : null;
  if (task.status !== "in_progress") return null;
  const isNamed = run.task_ids.includes(task.id) &&
    (run.event_at === null || task.assignee_session_id === null);
  return isNamed || task.assignee_session_id === run.agent_id ? task : null;
}

function isAsLeft(task: SettledTask, earlier: SettledTask): boolean {
  const left = columnsOf(earlier);
  return task.status === left.status && task.blocking_reason === left.blocking_reason &&
    task.completed_at === left.completed_at && task.assignee_user_id === left.assignee_user_id;
}

function withEnteredMinutes(earlier: SettledTask, { actual_minutes }: SettledTask): SettledTask {
  const { minutes_left = actual_minutes } = earlier;
  return actual_minutes === minutes_left ? earlier : { ...earlier, actual_minutes };
}

function settle(
  before: SettledTask,
  isDone: boolean,
  { status, at, summary }: End,
  now: string,
): SettledTask {
  const task = { ...before, blocking_reason: null, completed_at: null };
  if (status === "failed") {
    return { ...task, status: "blocked", blocking_reason: cleanText(summary, MAX_REASON) ?? NO_SUMMARY };
  }
  if (status === "ended" || !isDone) return { ...task, status: "pending" };
  // The sender's clock may be behind the clock of `started_at`, or ahead of ours.
  const end = before.started_at !== null && before.started_at > at ? before.started_at : at;
  return { ...task, status: "done", completed_at: end < now ? end : now };
}

function columnsOf(task: SettledTask): SettledTask {
  return task.status === "pending" ? { ...task, ...NEVER_STARTED } : task;
}

/**
 * Stores the tasks and returns them with their new minutes. A task that was released before stays
 * as it is.
 */
async function write({ db }: Context, settled: SettledTask[]): Promise<SettledTask[]> {
  await db`
    update tasks t set status = s.status, blocking_reason = s.blocking_reason, completed_at = s.completed_at,
      assignee_user_id = s.assignee_user_id, assignee_session_id = s.assignee_session_id, started_at = s.started_at,
      claimed_with = case when s.status <> 'pending' then t.claimed_with end,
      actual_minutes = case when s.status = 'done' then coalesce(s.actual_minutes, ${
    minutesBetween(db, db`s.started_at`, db`s.completed_at`)
  }) else s.actual_minutes end,
      lease_expires_at = null, ${newVersion(db, "t")}
    from jsonb_populate_recordset(null::tasks, ${jsonb(db, settled.map(columnsOf))}) s
    where t.id = s.id and (t.status <> 'pending' or s.status <> 'pending')`;
  const rows = await db<Pick<Task, "id" | "actual_minutes">[]>`
    select id, actual_minutes from tasks where id = any (${settled.map(({ id }) => id)}::uuid[])`;
  const minutes = new Map(rows.map(({ id, actual_minutes }) => [id, actual_minutes]));
  return settled.map((task) => ({ ...task, minutes_left: minutes.get(task.id)! }));
}
