import type { ProjectContext } from "../core/context.ts";
import { AppError, invalidField } from "../core/errors.ts";
import { transact } from "../core/transact.ts";
import { getTicket } from "../tickets/get.ts";
import { lockTicket } from "../tickets/lock.ts";
import type { Ticket } from "../tickets/schema.ts";
import { type Account, noteState, openAccount } from "./_account.ts";
import { repoIn } from "./_call.ts";
import {
  type ExclusiveRight,
  releaseExclusiveRight,
  renewExclusiveRight,
  takeExclusiveRight,
} from "./_exclusive.ts";
import { ProviderFailure, toCallError } from "./_failures.ts";
import { onlyRepo, readLink } from "./_issue_links.ts";
import { createIssueAt, findIssueWith, type HostedIssue } from "./_issues_api.ts";
import type { CreateIssue, LinkedIssue } from "./schema.ts";

/** The code host takes 65,536 characters, of which the line about the ticket needs some. */
const MAX_ISSUE_TEXT = 64_000;

/**
 * Creates an issue from the ticket at the code host, with the caller's linked account, and links
 * it. It does so only once.
 */
export async function createIssue(ctx: ProjectContext, input: CreateIssue): Promise<LinkedIssue> {
  const ticket = await getTicket(ctx, input);
  const repo = await chooseRepo(ctx, input);
  const account = await openAccount(ctx, ctx.actor.user.id);
  const right = await takeExclusiveRight(ctx, `issue:${ticket.id}`, 0);
  if (!right) {
    throw new AppError(
      "conflict",
      `Cannot create an issue for ticket ${ticket.ticket_ref}: another call is doing it`,
    );
  }
  try {
    await refuseLinked(ctx, ticket);
    const issue = await createOnce(ctx, { account, repo, ticket, right });
    return await link(ctx, ticket, repoIn(issue.repository_url) ?? repo, issue);
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error;
    if (error.code === "token_refused") await noteState(ctx, account, "refused");
    throw toCallError(error, `create an issue for ticket ${ticket.ticket_ref}`);
  } finally {
    await releaseExclusiveRight(ctx, right);
  }
}

/**
 * Allows only repositories to which the project is wired, because a slip could otherwise publish
 * the ticket's text elsewhere.
 */
async function chooseRepo(ctx: ProjectContext, input: CreateIssue): Promise<string> {
  if (input.repo_full_name === undefined) return await onlyRepo(ctx);
  const [repo] = await ctx.db<{ full_name: string }[]>`
    select full_name from project_repositories
    where project_id = ${ctx.project.id}::uuid and lower(full_name) = ${input.repo_full_name.toLowerCase()}`;
  if (!repo) throw invalidField("repo_full_name", "Is not a repository of this project");
  return repo.full_name;
}

async function refuseLinked(ctx: ProjectContext, ticket: Ticket): Promise<void> {
  const { issue_url } = await readLink(ctx, ticket.id);
  if (issue_url === null) return;
  throw new AppError(
    "conflict",
    `Cannot create an issue for ticket ${ticket.ticket_ref}: it is linked to ${issue_url}`,
  );
}

interface IssueWork {
  account: Account;
  repo: string;
  ticket: Ticket;
  right: ExclusiveRight;
}

/**
 * Creates an issue that contains the ticket's id. An issue whose answer or record was lost is found
 * by that id, no matter who asked for it.
 */
async function createOnce(
  ctx: ProjectContext,
  { account, repo, ticket, right }: IssueWork,
): Promise<HostedIssue> {
  const marker = `<!-- handoff-ticket: ${ticket.id} -->`;
  const find = (creator: string) => findIssueWith(account, repo, { marker, creator });
  const earlier = await find(await readMaker(ctx, ticket) ?? account.login);
  if (earlier) return earlier;
  const body = `${beginningOf(ticket)}\n\n---\nTicket [${ticket.ticket_ref}](${ticket.url})\n${marker}`;
  await writeMaker(ctx, ticket, account);
  try {
    return await createIssueAt(account, repo, {
      title: ticket.title,
      body,
      beforeSending: () => renewExclusiveRight(ctx, right),
    });
  } catch (error) {
    if (!(error instanceof ProviderFailure) || error.code !== "provider_unavailable") throw error;
    const made = await find(account.login);
    if (!made) throw error;
    return made;
  }
}

/** The description as far as it fits into an issue. */
function beginningOf({ description }: Ticket): string {
  return description.length <= MAX_ISSUE_TEXT
    ? description
    : `${description.slice(0, MAX_ISSUE_TEXT).toWellFormed()}…`;
}

async function readMaker({ db }: ProjectContext, ticket: Ticket): Promise<string | undefined> {
  const [maker] = await db<{ login: string }[]>`
    select login from issue_makers where ticket_id = ${ticket.id}::uuid`;
  return maker?.login;
}

async function writeMaker({ db }: ProjectContext, ticket: Ticket, { login }: Account): Promise<void> {
  await db`
    insert into issue_makers (ticket_id, login) values (${ticket.id}::uuid, ${login})
    on conflict (ticket_id) do update set login = excluded.login`;
}

async function link(
  ctx: ProjectContext,
  ticket: Ticket,
  repo: string,
  issue: HostedIssue,
): Promise<LinkedIssue> {
  return await transact(ctx, async (ctx) => {
    await lockTicket(ctx, ticket.id);
    const linked = await ctx.db`
      insert into ticket_issues (ticket_id, project_id, repo_full_name, issue_number, issue_url, title, state, event_at)
      values (${ticket.id}::uuid, ${ctx.project.id}::uuid, ${repo}, ${issue.number}, ${issue.html_url}, ${issue.title},
        ${issue.state}, ${issue.updated_at}::timestamptz)
      on conflict (ticket_id) do nothing`;
    if (linked.count === 1) return await readLink(ctx, ticket.id);
    throw new AppError(
      "conflict",
      `Ticket ${ticket.ticket_ref} was linked to another issue during the call`,
      {
        details: { created: issue.html_url },
      },
    );
  });
}
