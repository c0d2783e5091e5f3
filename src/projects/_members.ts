import { projectsFor, requireStanding, roleInProject } from "../core/access.ts";
import { recordAudit } from "../core/audit.ts";
import type { ProjectContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import type { ProjectRole } from "../core/schema.ts";
import { lockProject } from "./lock.ts";
import type { Member } from "./schema.ts";

/** Of one user, or of all. */
export async function readMembers(ctx: ProjectContext, userId: string | null): Promise<Member[]> {
  return await ctx.db<Member[]>`
    select m.user_id, u.email, u.name, m.role, m.created_at
    from project_members m join users u on u.id = m.user_id
    where m.project_id = ${ctx.project.id}::uuid and (${userId}::uuid is null or m.user_id = ${userId}::uuid)
    order by m.user_id`;
}

/** Behind this lock the caller is still an admin of the project: nobody who was removed puts themselves back. */
export async function lockMember(ctx: ProjectContext, userId: string): Promise<void> {
  const { db, actor, project } = ctx;
  await lockProject(ctx, project.id);
  // Both in id order, as by who changes one of them. Who gives the user work waits, too.
  await db`select from users where id in (${userId}::uuid, ${actor.user.id}::uuid) order by id for no key update`;
  await requireStanding(ctx);
  const [now] = await db<[{ role: ProjectRole | null }]>`
    select ${roleInProject(db)} as role from ${
    projectsFor(db, actor.user.id)
  } where p.id = ${project.id}::uuid`;
  if (now.role !== "admin") throw new AppError("forbidden", "You are no admin of the project any more");
}

export async function auditMember(
  ctx: ProjectContext,
  action: string,
  userId: string,
  details: Record<string, unknown>,
): Promise<void> {
  await recordAudit(ctx, {
    account_id: ctx.project.account_id,
    action,
    target_type: "user",
    target_id: userId,
    details: { project_id: ctx.project.id, ...details },
  });
}
