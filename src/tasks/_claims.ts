import type { Db } from "../../db/open.ts";
import { hasScope } from "../core/access.ts";
import type { ProjectContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { requireVersion } from "../core/if_match.ts";
import { getTask } from "./get.ts";
import type { TaskPath } from "./schema.ts";

/**
 * Tells whether the caller may claim `tasks t`: the task is pending, not assigned to anybody else
 * and waits for no other task, its ticket is open, and the caller works in its project.
 */
export function claimable(ctx: ProjectContext) {
  const { db, actor } = ctx;
  if (!mayClaim(ctx)) return db`false`;
  // With `exists` alone the planner expects almost no task to be left. It would read all tasks of
  // the project and compare them with the tasks of all projects.
  return db`t.status = 'pending' and (t.assignee_user_id is null or t.assignee_user_id = ${actor.user.id}::uuid)
    and (t.depends_on_task_ids = '{}' or not exists (select from tasks d
      where d.id = any (t.depends_on_task_ids) and d.ticket_id = t.ticket_id and d.status not in ('done', 'skipped')))
    and (select k.status from tickets k where k.id = t.ticket_id) <> 'closed'`;
}

function mayClaim({ actor, project }: ProjectContext): boolean {
  return hasScope(actor, "tasks:write") && project.role !== "viewer" && !project.archived;
}

/** The length of a claim after its last sign of life. */
export function lease(db: Db) {
  return db`now() + interval '15 minutes'`;
}

/**
 * Tells whether the caller means the claim of `tasks t`. If the call names a session, only a claim
 * of that session matches. If it names none, any claim of the user matches, except that an API key
 * doesn't match claims of other keys, because each key is an agent of its own.
 */
export function inSession({ db, actor }: ProjectContext, named: string | undefined) {
  const { user, credential } = actor;
  if (named !== undefined) return db`(t.assignee_session_id is null or t.assignee_session_id = ${named})`;
  if (credential.type === "session") return db`true`;
  return db`coalesce(t.assignee_session_id, '') not in (
    select k.id::text from api_keys k where k.user_id = ${user.id}::uuid and k.id <> ${credential.id}::uuid)`;
}

/** Explains why the caller can't extend or release a task. */
export async function refuseNotHeld(ctx: ProjectContext, input: TaskPath, attempt: string): Promise<never> {
  const task = await getTask(ctx, input);
  requireVersion(ctx, task, "task");
  const refused = `Cannot ${attempt} task ${task.title}:`;
  if (task.status !== "in_progress") {
    throw new AppError("invalid_transition", `${refused} it is ${task.status}`);
  }
  const { assignee_user_id: assignee, assignee_session_id: session } = task;
  if (assignee === ctx.actor.user.id && session === null) {
    throw new AppError("invalid_transition", `${refused} it is assigned to you without a claim`);
  }
  const held = assignee === null
    ? "was started without a claim"
    : `is held ${assignee === ctx.actor.user.id ? "under another session or key of yours" : "by another"}`;
  throw new AppError("already_claimed", `${refused} it ${held}`, { details: { current: task } });
}
