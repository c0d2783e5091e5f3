import type { ProjectContext } from "../core/context.ts";
import { invalidField } from "../core/errors.ts";

/**
 * Work is given only to who may do it: an active user who may write in the project.
 * @throws {AppError} invalid_request
 */
export async function checkAssignee({ db, project }: ProjectContext, userId: string): Promise<void> {
  const found = await db`
    select from users u left join project_members m on m.user_id = u.id and m.project_id = ${project.id}::uuid
    where u.id = ${userId}::uuid and u.deactivated_at is null and (m.role in ('member', 'admin')
      or u.role = 'super_admin' or (u.role = 'admin' and u.account_id = ${project.account_id}::uuid))`;
  if (found.count === 0) throw invalidField("assignee_user_id", "May not write in this project");
}
