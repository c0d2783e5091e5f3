import type { Db } from "../../db/open.ts";
import { projectsFor, requireStanding, roleInProject } from "../core/access.ts";
import { recordProjectAudit } from "../core/audit.ts";
import type { ProjectContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import type { ProjectRole } from "../core/schema.ts";
import { lockProject } from "./lock.ts";

/** The columns of a Member for `project_members m` and their `users u`. */
export function memberColumns(db: Db) {
  return db`m.user_id, u.email, u.name, m.role, m.created_at`;
}

/**
 * Locks the user and the caller and checks that the caller is still an admin of the project, so
 * that nobody who was removed can add themselves again.
 */
export async function lockMember(ctx: ProjectContext, userId: string): Promise<void> {
  const { db, actor, project } = ctx;
  await lockProject(ctx, project.id);
  // Both rows are locked in id order, like every change of one of them. A call that assigns work to
  // the user waits, too.
  await db`select from users where id in (${userId}::uuid, ${actor.user.id}::uuid) order by id for no key update`;
  await requireStanding(ctx);
  const [now] = await db<[{ role: ProjectRole | null }]>`
    select ${roleInProject(db)} as role from ${
    projectsFor(db, actor.user.id)
  } where p.id = ${project.id}::uuid`;
  if (now.role !== "admin") throw new AppError("forbidden", "You are no longer an admin of the project");
}

export async function auditMember(
  ctx: ProjectContext,
  action: string,
  userId: string,
  details: Record<string, unknown>,
): Promise<void> {
  await recordProjectAudit(ctx, {
    action,
    target_type: "user",
    target_id: userId,
    details,
  });
}
