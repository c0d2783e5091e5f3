import type { Db } from "../../db/open.ts";
import { lease } from "../assignments/lease.ts";
import { hasScope } from "../core/access.ts";
import { isBot, type ProjectContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { requireVersion } from "../core/if_match.ts";
import { readHeld } from "./_rows.ts";
import type { Task, TaskPath } from "./schema.ts";

/**
 * Tells whether the caller may claim `tasks t`: the task is pending, not assigned to anybody else
 * and waits for no other task, its ticket is open and waits for no other ticket, and the caller works in its
 * project.
 */
export function claimable(ctx: ProjectContext) {
  const { db, actor } = ctx;
  if (!mayClaim(ctx)) return db`false`;
  // With `exists` alone the planner expects almost no task to be left. It would read all tasks of
  // the project and compare them with the tasks of all projects.
  return db`t.status = 'pending' and (t.assignee_user_id is null or t.assignee_user_id = ${actor.user.id}::uuid)
    and (t.depends_on_task_ids = '{}' or not exists (select from tasks d
      where d.id = any (t.depends_on_task_ids) and d.ticket_id = t.ticket_id and d.status not in ('done', 'skipped')))
    and (select k.status = 'open' and k.open_blockers = 0 from tickets k where k.id = t.ticket_id)`;
}

export function mayClaim({ actor, project }: ProjectContext): boolean {
  return hasScope(actor, "tasks:write") && project.role !== "viewer" && !project.archived;
}

/** The name under which an agent holds what it claims. */
export function nameOf({ actor }: ProjectContext, named: string | undefined): string {
  return named ?? actor.credential.id;
}

/** The columns that a claim by the caller sets. */
export function claimColumns(
  ctx: ProjectContext,
  named: string | undefined,
): Record<string, unknown> {
  const { db, actor } = ctx;
  return {
    assignee_user_id: actor.user.id,
    assignee_session_id: nameOf(ctx, named),
    claimed_with: actor.credential.id,
    lease_expires_at: isBot(actor) ? lease(db) : null,
  };
}

/** Refuses a task that somebody else holds, or that the caller holds already. */
export async function taken(
  { db, actor }: ProjectContext,
  { task, held }: { task: Task; held: boolean },
  refused: string,
  details: Record<string, unknown> = {},
): Promise<AppError> {
  const how = held && task.assignee_session_id !== null
    ? "it is yours already"
    : await holderInWords(db, actor, task);
  return new AppError("already_claimed", `${refused} ${how}`, {
    details: { current: task, yours: held, ...details },
  });
}

/** Names the holder of a task, and the end of the lease. */
async function holderInWords(db: Db, { user, credential }: ProjectContext["actor"], task: Task) {
  const { assignee_user_id: assignee, assignee_session_id: agent, lease_expires_at: end, status } = task;
  if (assignee === null) return "it was started without a claim";
  const [holder] = await db<[{ name: string; same: boolean }]>`
    select u.name, (select t.claimed_with = ${credential.id}::uuid from tasks t where t.id = ${task.id}::uuid) as same
    from users u where u.id = ${assignee}::uuid`;
  const own = assignee === user.id;
  if (agent === null) {
    return `it is assigned to ${own ? "you" : holder.name}${status === "pending" ? "" : " without a claim"}`;
  }
  const until = status === "blocked"
    ? " until the blocked task goes on"
    : end === null
    ? ` since ${task.started_at}`
    : ` until ${end}`;
  if (own && holder.same) {
    return `it is held by "${agent}", an agent of this key,${until}. If you are "${agent}", name it in the call`;
  }
  return `it is held by ${own ? "another session or key of yours" : holder.name}, as "${agent}",${until}`;
}

/** Explains why the caller can't extend or release a task. */
export async function refuseNotHeld(
  ctx: ProjectContext,
  input: TaskPath & { session_id?: string | undefined },
  attempt: string,
): Promise<never> {
  const found = await readHeld(ctx, input, input.session_id);
  const { task } = found;
  requireVersion(ctx, task, "task");
  const refused = `Cannot ${attempt} task ${task.title}:`;
  const isClaim = task.assignee_session_id !== null;
  const details = { current: task, yours: found.held && isClaim };
  if (task.status !== "in_progress") {
    throw new AppError("invalid_transition", `${refused} it is ${task.status}`, { details });
  }
  if (found.held && !isClaim) {
    throw new AppError("invalid_transition", `${refused} it is assigned to you without a claim`, { details });
  }
  throw await taken(ctx, found, refused);
}
