import { recordAudit } from "../core/audit.ts";
import type { ProjectContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { transact } from "../core/history.ts";
import type { Member, PutMember } from "./schema.ts";

/** The people with a role of their own in the project; account admins have theirs without being listed. */
export async function listMembers(ctx: ProjectContext): Promise<{ members: Member[]; next_cursor: null }> {
  const members = await ctx.db<Member[]>`
    select m.user_id, u.email, u.name, m.role, m.created_at
    from project_members m join users u on u.id = m.user_id
    where m.project_id = ${ctx.project.id}::uuid order by m.user_id`;
  return { members: [...members], next_cursor: null };
}

/** Gives a user of the project's account a role in it. */
export async function putMember(ctx: ProjectContext, input: PutMember): Promise<Member> {
  const member = await transact(ctx, async (ctx) => {
    const [row] = await ctx.db<Member[]>`
      with put as (
        insert into project_members (project_id, user_id, role)
        select ${ctx.project.id}::uuid, u.id, ${input.role} from users u
        where u.id = ${input.userId}::uuid and u.account_id = ${ctx.project.account_id}::uuid
        on conflict (project_id, user_id) do update set role = excluded.role
        returning user_id, role, created_at
      )
      select p.user_id, u.email, u.name, p.role, p.created_at from put p join users u on u.id = p.user_id`;
    if (!row) throw new AppError("not_found", "No such user in the project's account");
    await auditMember(ctx, "member.put", input.userId, { role: input.role });
    return row;
  });
  ctx.access.clear();
  return member;
}

/** Takes a user's role in the project away. */
export async function removeMember(ctx: ProjectContext, input: { userId: string }): Promise<void> {
  await transact(ctx, async (ctx) => {
    const removed = await ctx.db`
      delete from project_members where project_id = ${ctx.project.id}::uuid and user_id = ${input.userId}::uuid`;
    if (removed.count === 0) throw new AppError("not_found", "This user is no member of the project");
    await auditMember(ctx, "member.removed", input.userId, {});
  });
  ctx.access.clear();
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
