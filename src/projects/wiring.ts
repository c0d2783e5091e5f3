import type { Db } from "../../db/open.ts";

/** The ids of the projects that are wired to one of the repositories, as a subselect. `repos` are lower-cased. */
export function wiredProjects(db: Db, ...repos: string[]) {
  return db`(select project_id from project_repositories where lower(full_name) = any (${repos}::text[]))`;
}

/** Is any project wired to the repository? `repo` is lower-cased. */
export async function isWired(db: Db, repo: string): Promise<boolean> {
  const rows = await db`select from ${wiredProjects(db, repo)} p limit 1`;
  return rows.count > 0;
}
