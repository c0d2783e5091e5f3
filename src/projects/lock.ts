import { projectIsArchived } from "../core/access.ts";
import type { Context } from "../core/context.ts";
import { AppError } from "../core/errors.ts";

/** Behind this lock nobody archives the project. @throws {AppError} forbidden when somebody has */
export async function lockProject({ db }: Context, projectId: string): Promise<void> {
  const [project] = await db<[{ archived: boolean }]>`
    select archived_at is not null as archived from projects where id = ${projectId}::uuid for update`;
  if (project.archived) throw projectIsArchived();
}

/**
 * Keys and slugs of an account's projects are given and changed behind this lock, which comes before a project's own.
 * @throws {AppError} not_found
 */
export async function lockAccount({ db }: Context, accountId: string): Promise<void> {
  const locked = await db`select from accounts where id = ${accountId}::uuid for no key update`;
  if (locked.count === 0) throw new AppError("not_found", "No such account");
}
