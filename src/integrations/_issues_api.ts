import { z } from "zod";
import { OffsetTime, WebAddress } from "../core/schema.ts";
import type { Account } from "./_account.ts";
import { callProvider, onceChecked, pathOf } from "./_call.ts";
import { ProviderFailure } from "./_failures.ts";
import { StoredText } from "./_payload.ts";
import { IssueNumber } from "./schema.ts";

/** An issue as the code host answers it. */
export const HostedIssue = z.object({
  number: IssueNumber,
  html_url: WebAddress,
  repository_url: z.url().optional(),
  title: StoredText,
  state: z.enum(["open", "closed"]),
  body: z.string().nullish(),
  updated_at: OffsetTime,
  pull_request: z.unknown().optional(),
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
  return await callProvider(HostedIssue, () =>
    account.octokit.request("POST /repos/{owner}/{repo}/issues", {
      ...pathOf(repo),
      title,
      body,
      request: onceChecked(account, beforeSending),
    }));
}

const MARKERS = /<!-- handoff-ticket: [\w-]+ -->/g;

/**
 * Looks among the hundred issues that the creator made last: in anyone else's the marker may be forged. An issue's own
 * marker is its last one: the ticket's text before it may quote another issue. The code host lists pull requests too.
 */
export async function findIssueWith(
  { octokit }: Account,
  repo: string,
  { marker, creator }: { marker: string; creator: string },
): Promise<HostedIssue | undefined> {
  const asked = callProvider(z.array(HostedIssue), () =>
    octokit.request("GET /repos/{owner}/{repo}/issues", {
      ...pathOf(repo),
      creator,
      state: "all",
      per_page: 100,
    }));
  // A creator whom the code host no longer knows made nothing that can be found.
  const issues = await asked.catch((error) => {
    if (error instanceof ProviderFailure && error.code === "provider_refused") return [];
    throw error;
  });
  return issues.find(({ body, pull_request }) => !pull_request && body?.match(MARKERS)?.at(-1) === marker);
}
