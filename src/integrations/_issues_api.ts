import { z } from "zod";
import { OffsetTime, WebAddress } from "../core/schema.ts";
import type { Account } from "./_account.ts";
import { callProvider, onceChecked, pathOf } from "./_call.ts";
import { ProviderFailure } from "./_failures.ts";
import { StoredLine } from "./_payload.ts";
import { IssueNumber } from "./schema.ts";

/** An issue in the code host's answer. */
export const HostedIssue = z.object({
  number: IssueNumber,
  html_url: WebAddress,
  repository_url: z.url().optional(),
  title: StoredLine,
  state: z.enum(["open", "closed"]),
  body: z.string().nullish(),
  updated_at: OffsetTime,
  pull_request: z.unknown().optional(),
});
export type HostedIssue = z.infer<typeof HostedIssue>;

interface NewIssue {
  title: string;
  body: string;
  /** Runs right before the request, after all waits in queues. */
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
 * Looks for the marker in the hundred newest issues of this creator, because it may be forged in
 * issues of other people. The last marker of an issue is its own: the ticket's text before it may
 * quote another issue. The code host's list contains pull requests, too.
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
  // A creator that the code host no longer knows has created nothing that can be found.
  const issues = await asked.catch((error) => {
    if (error instanceof ProviderFailure && error.code === "provider_refused") return [];
    throw error;
  });
  return issues.find(({ body, pull_request }) => !pull_request && body?.match(MARKERS)?.at(-1) === marker);
}
