import type { Context } from "../core/context.ts";
import type { Outcome } from "../deliveries/schema.ts";
import type { IssueEvent } from "./_payload.ts";

/** An issue as a link shows it. */
interface Target {
  repo_full_name: string;
  number: number;
  html_url: string;
  title: string;
  state?: "open" | "closed" | null | undefined;
  updated_at: string;
}

/**
 * The links of tickets to an issue follow what happens to it: its title and state, a transfer to another repository,
 * its deletion. No ticket is closed by it: tickets close at their gates. Call it inside `transact`.
 */
export async function applyIssue(ctx: Context, event: IssueEvent): Promise<Outcome> {
  const { action, repository, changes } = event;
  const here: Target = { ...event.issue, repo_full_name: repository.full_name };
  let followed: number;
  if (action === "deleted") {
    followed = await unlink(ctx, here);
  } else if (action === "transferred" && changes?.new_issue && changes.new_repository) {
    const there = { ...changes.new_issue, repo_full_name: changes.new_repository.full_name };
    followed = await follow(ctx, here, there);
  } else if (changes?.old_issue && changes.old_repository) {
    followed = await follow(
      ctx,
      { ...changes.old_issue, repo_full_name: changes.old_repository.full_name },
      here,
    );
  } else {
    followed = await follow(ctx, here, here);
  }
  return followed > 0 ? { outcome: "applied" } : { outcome: "ignored", reason: "no_ticket" };
}

/** Tickets are locked in id order before their links change. */
async function lockLinked(ctx: Context, { repo_full_name, number }: Target): Promise<void> {
  await ctx.db`
    select from tickets where id in (
      select ticket_id from ticket_issues where lower(repo_full_name) = ${repo_full_name.toLowerCase()}
        and issue_number = ${number})
    order by id for update`;
}

async function unlink(ctx: Context, issue: Target): Promise<number> {
  await lockLinked(ctx, issue);
  const removed = await ctx.db`
    delete from ticket_issues
    where lower(repo_full_name) = ${issue.repo_full_name.toLowerCase()} and issue_number = ${issue.number}`;
  return removed.count;
}

/** What an event says that is older than the last one is out of date. */
async function follow(ctx: Context, from: Target, to: Target): Promise<number> {
  await lockLinked(ctx, from);
  const followed = await ctx.db`
    update ticket_issues set repo_full_name = ${to.repo_full_name}, issue_number = ${to.number},
      issue_url = ${to.html_url}, title = ${to.title}, state = coalesce(${to.state ?? null}, state),
      event_at = ${to.updated_at}::timestamptz, updated_at = now()
    where lower(repo_full_name) = ${from.repo_full_name.toLowerCase()} and issue_number = ${from.number}
      and (event_at is null or event_at <= ${to.updated_at}::timestamptz)`;
  return followed.count;
}
