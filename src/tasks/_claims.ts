import type { Db } from "../../db/open.ts";
import { hasScope } from "../core/access.ts";
import type { ProjectContext } from "../core/context.ts";

/**
 * May the caller claim `tasks t`? Pending, given to nobody else, nothing to wait for, its ticket open, and the project one
 * in which the caller works.
 */
export function claimable(ctx: ProjectContext) {
  const { db, actor } = ctx;
  if (!mayClaim(ctx)) return db`false`;
  // Of an `exists` alone the planner would think that it hardly ever leaves a task, read a project's to the last, and
  // compare them with those of all projects.
  return db`t.status = 'pending' and (t.assignee_user_id is null or t.assignee_user_id = ${actor.user.id}::uuid)
    and (t.depends_on_task_ids = '{}' or not exists (select from tasks d
      where d.id = any (t.depends_on_task_ids) and d.ticket_id = t.ticket_id and d.status not in ('done', 'skipped')))
    and (select k.status from tickets k where k.id = t.ticket_id) <> 'closed'`;
}

function mayClaim({ actor, project }: ProjectContext): boolean {
  return hasScope(actor, "tasks:write") && project.role !== "viewer" && !project.archived;
}

/** A claim holds this long from its last sign of life. */
export function lease(db: Db) {
  return db`now() + interval '15 minutes'`;
}

/**
 * May the caller act on the claim of `tasks t`, as far as its session goes? Who names one means that one. Who names
 * none means any but, when calling with a key, that of another key of the same user: each is an agent of its own.
 */
export function inSession({ db, actor }: ProjectContext, named: string | undefined) {
  const { user, credential } = actor;
  if (named !== undefined) return db`(t.assignee_session_id is null or t.assignee_session_id = ${named})`;
  if (credential.type === "session") return db`true`;
  return db`coalesce(t.assignee_session_id, '') not in (
    select k.id::text from api_keys k where k.user_id = ${user.id}::uuid and k.id <> ${credential.id}::uuid)`;
}
