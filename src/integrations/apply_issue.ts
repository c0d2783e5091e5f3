import type { Db } from "../../db/open.ts";
import type { Context } from "../core/context.ts";
import type { Outcome } from "../inbound/schema.ts";
import { isWired, wiredProjects } from "../projects/wiring.ts";
import type { IssueEvent } from "./_payload.ts";

/** An issue's repository and number at the time of the event. */
interface Source {
  repo_full_name: string;
  number: number;
  /** The time as the sender reports it. */
  updated_at?: string | null | undefined;
}

/** An issue as a link shows it. */
interface ShownIssue extends Source {
  html_url?: string | null | undefined;
  title?: string | null | undefined;
  state?: "open" | "closed" | null | undefined;
}

/**
 * Updates the links from tickets to an issue with the issue's title, state, transfer and deletion.
 * No ticket is closed by these events. If accounts have wired projects to the repository that
 * reports the event, or to the one that the issue left, only tickets of these projects are updated,
 * because anyone can link to an issue that they may not read. Call it inside `transact`.
 */
export async function applyIssue(ctx: Context, event: IssueEvent, receivedAt: string): Promise<Outcome> {
  const { from, to } = readMove(event);
  const teller = event.repository.full_name.toLowerCase();
  const tickets = await lockLinked(ctx, teller, from);
  if (tickets.length === 0) {
    return { outcome: "ignored", reason: await isWired(ctx.db, teller) ? "no_ticket" : "unknown_repo" };
  }
  const changed = event.action === "deleted"
    ? await unlink(ctx, tickets, from)
    : await follow(ctx, tickets, { from, to, at: from.updated_at ?? receivedAt });
  return changed > 0 ? { outcome: "applied" } : { outcome: "ignored", reason: "older_than_known" };
}

/** The issue's place before the event and after it. Only a transfer changes the place. */
function readMove({ action, issue, repository, changes }: IssueEvent): { from: Source; to: ShownIssue } {
  const here: ShownIssue = { ...issue, repo_full_name: repository.full_name };
  if (action === "transferred" && changes?.new_issue && changes.new_repository) {
    return { from: here, to: { ...changes.new_issue, repo_full_name: changes.new_repository.full_name } };
  }
  if (changes?.old_issue && changes.old_repository) {
    const { number, updated_at } = changes.old_issue;
    const repo_full_name = changes.old_repository.full_name;
    return { from: { repo_full_name, number, updated_at: updated_at ?? here.updated_at }, to: here };
  }
  return { from: here, to: here };
}

/** Locks the linked tickets in id order before their links change, and returns their ids. */
async function lockLinked(ctx: Context, teller: string, issue: Source): Promise<string[]> {
  const wired = wiredProjects(ctx.db, teller, issue.repo_full_name.toLowerCase());
  const locked = await ctx.db<{ id: string }[]>`
    select id from tickets where id in (
      select ticket_id from ticket_issues
      where ${isLinkTo(ctx.db, issue)} and (not exists ${wired} or project_id in (
          select p.id from projects p join projects w on w.account_id = p.account_id where w.id in ${wired})))
    order by id for update`;
  return locked.map(({ id }) => id);
}

/** Selects the rows of `ticket_issues` that link a ticket to the issue. */
function isLinkTo(db: Db, { repo_full_name, number }: Source) {
  return db`lower(repo_full_name) = ${repo_full_name.toLowerCase()} and issue_number = ${number}`;
}

async function unlink(ctx: Context, tickets: string[], issue: Source): Promise<number> {
  const removed = await ctx.db`
    delete from ticket_issues where ticket_id = any (${tickets}::uuid[]) and ${isLinkTo(ctx.db, issue)}`;
  return removed.count;
}

/**
 * Ignores an event that is older than the last one. A transfer's age is judged at the place that
 * the issue left, because at the new place the issue may show the time of its creation there.
 */
async function follow(
  ctx: Context,
  tickets: string[],
  { from, to, at }: { from: Source; to: ShownIssue; at: string },
): Promise<number> {
  const followed = await ctx.db`
    update ticket_issues set repo_full_name = ${to.repo_full_name}, issue_number = ${to.number},
      issue_url = coalesce(${to.html_url ?? null}, issue_url), title = coalesce(${to.title ?? null}, title),
      state = coalesce(${to.state ?? null}, state),
      event_at = ${at}::timestamptz, updated_at = now()
    where ticket_id = any (${tickets}::uuid[]) and ${isLinkTo(ctx.db, from)}
      and (event_at is null or event_at <= ${at}::timestamptz)`;
  return followed.count;
}
