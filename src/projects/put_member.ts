import { freeWork } from "../assignments/free_work.ts";
import type { ProjectContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { forgetAccess } from "../core/forget_access.ts";
import { transact } from "../core/transact.ts";
import { auditMember, lockMember, memberColumns } from "./_members.ts";
import type { Member, PutMember } from "./schema.ts";

/**
 * Gives a user of the project's account a role in the project. The same role again changes nothing.
 */
export async function putMember(ctx: ProjectContext, input: PutMember): Promise<Member> {
  return await transact(ctx, async (ctx) => {
    await lockMember(ctx, input.userId);
    const put = await ctx.db`
      insert into project_members as m (project_id, user_id, role)
      select ${ctx.project.id}::uuid, u.id, ${input.role} from users u
      where u.id = ${input.userId}::uuid and u.account_id = ${ctx.project.account_id}::uuid
      on conflict (project_id, user_id) do update set role = excluded.role where m.role <> excluded.role`;
    const [row] = await ctx.db<Member[]>`
      select ${memberColumns(ctx.db)} from project_members m join users u on u.id = m.user_id
      where m.project_id = ${ctx.project.id}::uuid and m.user_id = ${input.userId}::uuid`;
    if (!row) throw new AppError("not_found", "No such user in the project's account");
    if (put.count > 0) {
      forgetAccess(ctx);
      if (input.role === "viewer") await freeWork(ctx, input.userId);
      await auditMember(ctx, "member.put", input.userId, { role: input.role });
    }
    return row;
  });
}
