import type { Config } from "../core/config.ts";
import type { ProjectContext } from "../core/context.ts";
import { invalidField } from "../core/errors.ts";
import { RepoName } from "../core/schema.ts";
import { transact } from "../core/transact.ts";
import { lockTicket } from "../tickets/lock.ts";
import { webUrl } from "./_client.ts";
import { onlyRepo, readLink } from "./_issue_links.ts";
import { type IssuePlace, issueUrl } from "./issue_url.ts";
import { IssueNumber, type LinkedIssue, type LinkIssue } from "./schema.ts";

/** Links the ticket to an issue, and replaces its former link. The code host isn't asked. */
export async function linkIssue(ctx: ProjectContext, input: LinkIssue): Promise<LinkedIssue> {
  const place = await findPlace(ctx, input);
  return await transact(ctx, async (ctx) => {
    await lockTicket(ctx, input.ticketId);
    // The stored facts about the former issue are not true for the new issue.
    await ctx.db`
      insert into ticket_issues as l (ticket_id, project_id, repo_full_name, issue_number, issue_url)
      values (${input.ticketId}::uuid, ${ctx.project.id}::uuid, ${place.repo}, ${place.number},
        ${issueUrl(ctx.config, place)})
      on conflict (ticket_id) do update set repo_full_name = excluded.repo_full_name,
        issue_number = excluded.issue_number, issue_url = excluded.issue_url, title = null, state = null, event_at = null,
        updated_at = now()
      where (lower(l.repo_full_name), l.issue_number) <> (lower(excluded.repo_full_name), excluded.issue_number)`;
    return await readLink(ctx, input.ticketId);
  });
}

/** @throws {AppError} invalid_request if it is not clear which issue is meant */
async function findPlace(ctx: ProjectContext, input: LinkIssue): Promise<IssuePlace> {
  const { repo_full_name, issue_number, issue_url } = input;
  if (issue_url === undefined) {
    if (issue_number === undefined) throw invalidField("issue_number", "Required, unless issue_url is given");
    return { repo: repo_full_name ?? await onlyRepo(ctx), number: issue_number };
  }
  const place = readUrl(ctx.config, issue_url);
  if (repo_full_name !== undefined && repo_full_name.toLowerCase() !== place.repo.toLowerCase()) {
    throw invalidField("repo_full_name", "Differs from issue_url");
  }
  if (issue_number !== undefined && issue_number !== place.number) {
    throw invalidField("issue_number", "Differs from issue_url");
  }
  return place;
}

function readUrl(config: Config, text: string): IssuePlace {
  const site = webUrl(config);
  const refusal = () => invalidField("issue_url", `Expected ${site}/owner/name/issues/12`);
  if (!URL.canParse(text)) throw refusal();
  const { origin, pathname } = new URL(text);
  const [, repo, digits] = /^\/([^/]+\/[^/]+)\/issues\/(\d{1,10})\/?$/.exec(pathname) ?? [];
  const number = Number(digits);
  if (origin !== site || !RepoName.safeParse(repo).success || !IssueNumber.safeParse(number).success) {
    throw refusal();
  }
  return { repo: repo!, number };
}
