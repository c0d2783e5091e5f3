import type { ProjectContext } from "../core/context.ts";
import { invalidField } from "../core/errors.ts";
import type { LinkedIssue } from "./schema.ts";

/** Reads the linked issue; all fields are null if nothing is linked. */
export async function readLink({ db }: ProjectContext, ticketId: string): Promise<LinkedIssue> {
  const [link] = await db<LinkedIssue[]>`
    select issue_number, issue_url, repo_full_name from ticket_issues where ticket_id = ${ticketId}::uuid`;
  return link ?? { issue_number: null, issue_url: null, repo_full_name: null };
}

/**
 * Returns the repository to use if a request names none.
 * @throws {AppError} invalid_request unless the project has exactly one
 */
export async function onlyRepo({ db, project }: ProjectContext): Promise<string> {
  const rows = await db<{ full_name: string }[]>`
    select full_name from project_repositories where project_id = ${project.id}::uuid limit 2`;
  if (rows.length === 1) return rows[0]!.full_name;
  throw invalidField(
    "repo_full_name",
    `Required: the project has ${rows.length === 0 ? "no repository" : "several repositories"}`,
  );
}
