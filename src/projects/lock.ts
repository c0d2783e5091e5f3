import { projectIsArchived } from "../core/access.ts";
import type { Context } from "../core/context.ts";

/** Behind this lock nobody archives the project. @throws {AppError} forbidden when somebody has */
export async function lockProject({ db }: Context, projectId: string): Promise<void> {
  const [project] = await db<[{ archived: boolean }]>`
    select archived_at is not null as archived from projects where id = ${projectId}::uuid for update`;
  if (project.archived) throw projectIsArchived();
}
