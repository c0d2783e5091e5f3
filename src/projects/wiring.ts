import type { Db, Fragment } from "../../db/open.ts";

/**
 * The ids of the projects that are wired to one of the repositories, as a subselect. `repos` are
 * lower-cased.
 */
export function wiredProjects(db: Db, ...repos: string[]) {
  return db`(select project_id from project_repositories where lower(full_name) = any (${repos}::text[]))`;
}

/** Tells whether any project is wired to the repository. `repo` is lower-cased. */
export async function isWired(db: Db, repo: string): Promise<boolean> {
  const rows = await db`select from ${wiredProjects(db, repo)} p limit 1`;
  return rows.count > 0;
}

/**
 * Tells whether any repository of the project has ever reported a deploy. `projectId` is the
 * project's id in the statement.
 */
export function hasReported(db: Db, projectId: Fragment) {
  return db`exists (select from project_repositories r join deploy_reports d on d.repo = lower(r.full_name)
    where r.project_id = ${projectId})`;
}
