import { z } from "zod";
import { OffsetTime } from "../core/schema.ts";
import type { Account } from "./_account.ts";
import { ask, onceChecked, pathOf } from "./_ask.ts";

/** An issue as the code host answers it. */
export const HostedIssue = z.object({
  number: z.int().min(1),
  html_url: z.url(),
  repository_url: z.url().optional(),
  title: z.string(),
  state: z.enum(["open", "closed"]),
  body: z.string().nullish(),
  updated_at: OffsetTime,
});
export type HostedIssue = z.infer<typeof HostedIssue>;

interface NewIssue {
  title: string;
  body: string;
  /** Has the last word, after all waiting for one's turn. */
  beforeSending(): Promise<void>;
}

export async function createIssueAt(account: Account, repo: string, issue: NewIssue): Promise<HostedIssue> {
  const { title, body, beforeSending } = issue;
  return await ask(HostedIssue, () =>
    account.octokit.request("POST /repos/{owner}/{repo}/issues", {
      ...pathOf(repo),
      title,
      body,
      request: onceChecked(account, beforeSending),
    }));
}

/** Among the hundred issues that the account made last. */
export async function findIssueWith(
  { octokit, login }: Account,
  repo: string,
  { marker, since }: { marker: string; since: string },
): Promise<HostedIssue | undefined> {
  const issues = await ask(z.array(HostedIssue), () =>
    octokit.request("GET /repos/{owner}/{repo}/issues", {
      ...pathOf(repo),
      creator: login,
      state: "all",
      since,
      per_page: 100,
    }));
  return issues.find(({ body }) => body?.includes(marker));
}
