import type { Db, Fragment } from "../../db/open.ts";
import { isBot, type ProjectContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import type { LongTexts } from "../core/long_texts.ts";
import type { Task, TaskPath } from "./schema.ts";

/** The columns of a Task for `tasks t`. */
export function taskColumns(db: Db) {
  return db`t.id, t.ticket_id as handoff_request_id, t.project_id, t.number, t.sequence, t.title, t.body, t.summary, t.role, t.status,
    t.assignee_user_id, t.assignee_session_id, t.depends_on_task_ids, t.acceptance_criteria, t.estimated_minutes,
    t.actual_minutes, t.blocking_reason, t.started_at, t.completed_at, t.lease_expires_at, t.version, t.created_at,
    t.updated_at`;
}

/** The long texts of a task. PostgreSQL knows their lengths without reading them. */
export const TASK_TEXTS: LongTexts = {
  body: { bytes: "octet_length(r.body)", blank: null },
  summary: { bytes: "octet_length(r.summary)", blank: null },
  blocking_reason: { bytes: "octet_length(r.blocking_reason)", blank: null },
  acceptance_criteria: { bytes: "unpacked_bytes(r.acceptance_criteria)", blank: [] },
};

/**
 * Selects the row of `tasks t` that a path names. A task of another ticket or project doesn't
 * match.
 */
export function atPath({ db, project }: ProjectContext, { ticketId, taskId }: TaskPath) {
  return db`t.id = ${taskId}::uuid and t.ticket_id = ${ticketId}::uuid and t.project_id = ${project.id}::uuid`;
}

/**
 * Tells whether `tasks t` is the caller's. An agent's claim belongs to its API key and to the name
 * that it gave, so one agent never acts for another. A person's claim is theirs in each of their
 * sessions, and so are the claims of their own agents. A task that was started without a claim is
 * its assignee's.
 */
export function isHeld({ db, actor }: ProjectContext, named: string | undefined): Fragment {
  const { user, credential } = actor;
  const claim = isBot(actor)
    ? db`t.claimed_with = ${credential.id}::uuid and t.assignee_session_id = ${named ?? credential.id}`
    : named === undefined
    ? db`true`
    : db`t.assignee_session_id = ${named}`;
  return db`(t.assignee_user_id = ${user.id}::uuid and (t.assignee_session_id is null or ${claim}))`;
}

/** A task, and whether it is the caller's. */
export interface Held {
  task: Task;
  held: boolean;
}

/** @throws {AppError} not_found */
export async function readHeld(
  ctx: ProjectContext,
  path: TaskPath,
  named: string | undefined,
): Promise<Held> {
  return await heldTask(ctx, path, named, ctx.db``);
}

/**
 * Locks a task and returns it as it is now. The ticket's lock alone isn't enough, because claims
 * don't take it.
 * @throws {AppError} not_found
 */
export async function lockTask(ctx: ProjectContext, path: TaskPath, named?: string): Promise<Held> {
  return await heldTask(ctx, path, named, ctx.db`for update`);
}

async function heldTask(
  ctx: ProjectContext,
  path: TaskPath,
  named: string | undefined,
  locking: Fragment,
): Promise<Held> {
  const { db } = ctx;
  const [row] = await db<(Task & { held: boolean })[]>`
    select ${taskColumns(db)}, coalesce(${isHeld(ctx, named)}, false) as held from tasks t
    where ${atPath(ctx, path)} ${locking}`;
  if (!row) throw noSuchTask();
  const { held, ...task } = row;
  return { task, held };
}

/** The fields of a task that the rules between a ticket's tasks need. */
export type TaskOutline = Pick<Task, "id" | "title" | "status" | "depends_on_task_ids">;

export async function outlineOf({ db, project }: ProjectContext, ticketId: string): Promise<TaskOutline[]> {
  return await db<TaskOutline[]>`
    select t.id, t.title, t.status, t.depends_on_task_ids from tasks t
    where t.ticket_id = ${ticketId}::uuid and t.project_id = ${project.id}::uuid
    order by t.sequence`;
}

export function noSuchTask(): AppError {
  return new AppError("not_found", "No such task on this ticket");
}
