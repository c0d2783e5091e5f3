import { lockAssignees } from "../assignments/may_hold.ts";
import { isKnownIn, mayWrite, projectsFor } from "../core/access.ts";
import type { ProjectContext } from "../core/context.ts";
import { invalidField } from "../core/errors.ts";
import { inOrder } from "../core/in_order.ts";

/**
 * Checks that the assignee is an active user who may write in the project. A lock
 * keeps that right in place until the task is assigned.
 * @throws {AppError} invalid_request
 */
export async function checkAssignee(ctx: ProjectContext, userId: string): Promise<void> {
  const { db, project } = ctx;
  const [, found] = await inOrder(
    lockAssignees(ctx, db`select ${userId}::uuid`),
    db`
      select from ${projectsFor(db, userId)}
      where p.id = ${project.id}::uuid and ${mayWrite(db)} and ${isKnownIn(db)}`,
  );
  if (found.count === 0) throw invalidField("assignee_user_id", "May not write in this project");
}
