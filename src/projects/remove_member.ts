import { freeWork } from "../assignments/free_work.ts";
import type { ProjectContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { forgetAccess } from "../core/forget_access.ts";
import { transact } from "../core/transact.ts";
import { auditMember, lockMember } from "./_members.ts";

/** Removes a user's role in the project. */
export async function removeMember(ctx: ProjectContext, input: { userId: string }): Promise<void> {
  await transact(ctx, async (ctx) => {
    await lockMember(ctx, input.userId);
    const removed = await ctx.db`
      delete from project_members where project_id = ${ctx.project.id}::uuid and user_id = ${input.userId}::uuid`;
    if (removed.count === 0) throw new AppError("not_found", "This user is not a member of the project");
    forgetAccess(ctx);
    await freeWork(ctx, input.userId);
    await auditMember(ctx, "member.removed", input.userId, {});
  });
}
