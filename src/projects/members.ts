import { projectsFor, requireStanding, roleInProject } from "../core/access.ts";
import { recordAudit } from "../core/audit.ts";
import type { ProjectContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import type { ProjectRole } from "../core/schema.ts";
import { transact } from "../core/transact.ts";
import { lockProject } from "./lock.ts";
import type { Member, PutMember } from "./schema.ts";

/** The people with a role of their own in the project; account admins have theirs without being listed. */
export async function listMembers(ctx: ProjectContext): Promise<{ members: Member[]; next_cursor: null }> {
  return { members: await readMembers(ctx, null), next_cursor: null };
}

/** Gives a user of the project's account a role in it; the role that they have changes nothing. */
export async function putMember(ctx: ProjectContext, input: PutMember): Promise<Member> {
  const member = await transact(ctx, async (ctx) => {
    await lockMember(ctx, input.userId);
    const put = await ctx.db`
      insert into project_members as m (project_id, user_id, role)
      select ${ctx.project.id}::uuid, u.id, ${input.role} from users u
      where u.id = ${input.userId}::uuid and u.account_id = ${ctx.project.account_id}::uuid
      on conflict (project_id, user_id) do update set role = excluded.role where m.role <> excluded.role`;
    const [row] = await readMembers(ctx, input.userId);
    if (!row) throw new AppError("not_found", "No such user in the project's account");
    if (put.count > 0) await auditMember(ctx, "member.put", input.userId, { role: input.role });
    return row;
  });
  ctx.access.clear();
  return member;
}

/** Takes a user's role in the project away. */
export async function removeMember(ctx: ProjectContext, input: { userId: string }): Promise<void> {
  await transact(ctx, async (ctx) => {
    await lockMember(ctx, input.userId);
    const removed = await ctx.db`
      delete from project_members where project_id = ${ctx.project.id}::uuid and user_id = ${input.userId}::uuid`;
    if (removed.count === 0) throw new AppError("not_found", "This user is no member of the project");
    await auditMember(ctx, "member.removed", input.userId, {});
  });
  ctx.access.clear();
}

/** Behind this lock the caller is still an admin of the project: nobody who was removed puts themselves back. */
async function lockMember(ctx: ProjectContext, userId: string): Promise<void> {
  const { db, actor, project } = ctx;
  await lockProject(ctx, project.id);
  // Both in id order, as by who changes one of them.
  await db`select from users where id in (${userId}::uuid, ${actor.user.id}::uuid) order by id for share`;
  await requireStanding(ctx);
  const [now] = await db<[{ role: ProjectRole | null }]>`
    select ${roleInProject(db)} as role from ${
    projectsFor(db, actor.user.id)
  } where p.id = ${project.id}::uuid`;
  if (now.role !== "admin") throw new AppError("forbidden", "You are no admin of the project any more");
}

/** Of one user, or of all. */
async function readMembers(ctx: ProjectContext, userId: string | null): Promise<Member[]> {
  return await ctx.db<Member[]>`
    select m.user_id, u.email, u.name, m.role, m.created_at
    from project_members m join users u on u.id = m.user_id
    where m.project_id = ${ctx.project.id}::uuid and (${userId}::uuid is null or m.user_id = ${userId}::uuid)
    order by m.user_id`;
}

function auditMember(ctx: ProjectContext, action: string, userId: string, details: Record<string, unknown>) {
  return recordAudit(ctx, {
    account_id: ctx.project.account_id,
    action,
    target_type: "user",
    target_id: userId,
    details: { project_id: ctx.project.id, ...details },
  });
}
