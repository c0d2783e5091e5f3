import { projectIsArchived } from "../core/access.ts";
import type { Context } from "../core/context.ts";
import { AppError } from "../core/errors.ts";

/** Locks a project, so that nobody archives it. @throws {AppError} forbidden if it is archived */
export async function lockProject({ db }: Context, projectId: string): Promise<void> {
  const [project] = await db<[{ archived: boolean }]>`
    select archived_at is not null as archived from projects where id = ${projectId}::uuid for update`;
  if (project.archived) throw projectIsArchived();
}

/**
 * Locks an account. Keys and slugs of its projects change only under this lock, which comes before
 * a project's own lock.
 * @throws {AppError} not_found
 */
export async function lockAccount({ db }: Context, accountId: string): Promise<void> {
  const locked = await db`select from accounts where id = ${accountId}::uuid for no key update`;
  if (locked.count === 0) throw new AppError("not_found", "No such account");
}
