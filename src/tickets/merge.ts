import type { Db, Fragment } from "../../db/open.ts";

/**
 * Returns the columns that a new merge sets in `update tickets`. A new merge is not deployed yet,
 * or was deployed before it was reported. A new merge also ends a reopening. `sha` is lower-cased;
 * null takes the merge away.
 */
export function mergeColumns(db: Db, sha: string | null | Fragment): Record<string, unknown> {
  const reported = (status: "success" | "failed") =>
    db`(select min(d.reported_at) from deploys d join project_repositories r on lower(r.full_name) = d.repo
      where d.sha = ${sha} and d.status = ${status} and r.project_id = tickets.project_id)`;
  return {
    merge_sha: sha,
    reopened: false,
    deployed_at: reported("success"),
    // A failure doesn't count after a success.
    deploy_failed_at: db`(select failed.at from ${reported("failed")} as failed (at)
      where coalesce(failed.at < ${reported("success")}, true))`,
  };
}
