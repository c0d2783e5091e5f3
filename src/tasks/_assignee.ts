import { isKnownIn, projectsFor, roleInProject } from "../core/access.ts";
import type { ProjectContext } from "../core/context.ts";
import { invalidField } from "../core/errors.ts";

/**
 * Checks that the assignee is an active user who may write in the project. The lock on the user
 * keeps that right in place until the task is assigned. Without the lock, a loss of the right could
 * free the user's tasks just before this task is assigned, and miss this task.
 * @throws {AppError} invalid_request
 */
export async function checkAssignee({ db, project }: ProjectContext, userId: string): Promise<void> {
  const [, found] = await Promise.all([
    db`select from users where id = ${userId}::uuid for share`,
    db`
      select from ${projectsFor(db, userId)}
      where p.id = ${project.id}::uuid and ${roleInProject(db)} in ('member', 'admin') and ${
      isKnownIn(db)
    } and u.deactivated_at is null`,
  ]);
  if (found.count === 0) throw invalidField("assignee_user_id", "May not write in this project");
}
