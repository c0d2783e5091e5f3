import { projectsFor, roleInProject } from "../core/access.ts";
import type { ProjectContext } from "../core/context.ts";
import { invalidField } from "../core/errors.ts";

/**
 * Work is given only to who may do it: an active user who may write in the project. Behind the lock, nobody takes the right
 * away before the work is given, because the loss would free only what is given by then.
 * @throws {AppError} invalid_request
 */
export async function checkAssignee({ db, project }: ProjectContext, userId: string): Promise<void> {
  const [, found] = await Promise.all([
    db`select from users where id = ${userId}::uuid for share`,
    db`
      select from ${projectsFor(db, userId)}
      where p.id = ${project.id}::uuid and ${
      roleInProject(db)
    } in ('member', 'admin') and u.deactivated_at is null`,
  ]);
  if (found.count === 0) throw invalidField("assignee_user_id", "May not write in this project");
}
