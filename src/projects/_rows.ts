import type { Db } from "../../db/open.ts";
import { conflictOf } from "../core/failures.ts";

/** The columns of a Project for `projects p`, but for the caller's role in it. */
export function projectColumns(db: Db) {
  return db`p.id, p.account_id, p.name, p.key, p.slug, p.archived_at, p.created_at, p.updated_at, array(
    select r.full_name from project_repositories r where r.project_id = p.id order by lower(r.full_name)
  ) as repositories`;
}

/** The conflict with a key or slug that the account has already; any other error as it is. */
export function projectConflict(error: unknown): unknown {
  return conflictOf(error, {
    projects_key_key: "Another project of the account has this key",
    projects_slug_key: "Another project of the account has this slug",
  });
}
