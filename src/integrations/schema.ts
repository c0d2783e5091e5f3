import { z } from "zod";
import { Id, LargeInteger, NextCursor, Page, RepoName, Timestamp } from "../core/schema.ts";
import { TicketPath } from "../tickets/schema.ts";

// Linked accounts ---------------------------------------------------------------------------------

export const LinkAccount = z.strictObject({
  token: z.string().trim().regex(/^[A-Za-z0-9_.-]{1,255}$/, "Expected a GitHub access token").describe(
    "A personal access token: classic with `repo` (or `admin:repo_hook` and `public_repo`), or fine-grained with " +
      "read and write access to webhooks and issues",
  ),
});
export type LinkAccount = z.infer<typeof LinkAccount>;

export const LinkedAccount = z.object({
  provider: z.literal("github"),
  state: z.enum(["not_linked", "active", "refused"]).describe(
    "refused: GitHub no longer accepts the token, or no key can decrypt it any more; link the account again",
  ),
  login: z.string().nullable(),
  scopes: z.array(z.string()).nullable().describe(
    "Null for a fine-grained token, because GitHub does not tell its rights",
  ),
  linked_at: Timestamp.nullable(),
}).meta({ id: "LinkedAccount" });
export type LinkedAccount = z.infer<typeof LinkedAccount>;

// Webhooks ----------------------------------------------------------------------------------------

export const SetUpHooks = z.strictObject({
  project_id: Id.optional().describe("When absent: every project that the caller administers"),
});
export type SetUpHooks = z.infer<typeof SetUpHooks>;

export const HookFailure = z.enum([
  "no_admin_right",
  "provider_rate_limited",
  "provider_refused",
  "provider_unavailable",
  "set_up_in_progress",
]);
export type HookFailure = z.infer<typeof HookFailure>;

export const HookResult = z.object({
  project_id: Id,
  repo: z.string(),
  status: z.enum(["created", "updated", "unchanged", "failed"]),
  hook_id: LargeInteger.nullable(),
  code: HookFailure.optional(),
  error: z.string().optional(),
  retryAfter: z.int().optional().describe("Seconds, with provider_rate_limited"),
}).meta({ id: "HookResult" });
export type HookResult = z.infer<typeof HookResult>;

const HookResults = z.object({
  results: z.array(HookResult),
  created: z.int(),
  updated: z.int(),
  unchanged: z.int(),
  failed: z.int(),
});

const Progress = z.object({
  run_id: Id,
  state: z.enum(["queued", "running", "waiting", "done", "failed"]).describe(
    "waiting: the run waits for the end of GitHub's rate limit; failed: the run gave up the remaining repositories",
  ),
  total: z.int().describe("Number of results that there are when the run is done"),
  pending: z.int(),
  code: z.string().nullable().describe("Why the run failed as a whole"),
  error: z.string().nullable(),
  reconnect: z.boolean().describe("True if linking the code-hosting account again may help"),
  resumes_at: Timestamp.nullable(),
  created_at: Timestamp,
  finished_at: Timestamp.nullable(),
});

export const HookRun = HookResults.extend(Progress.shape).meta({ id: "HookRun" });
export type HookRun = z.infer<typeof HookRun>;

/** The fields of a run are present only if there are too many repositories for one answer. */
export const HookSetUp = HookResults.extend(Progress.partial().shape).meta({ id: "HookSetUp" });
export type HookSetUp = z.infer<typeof HookSetUp>;

export const HookRunPath = z.strictObject({ runId: Id });
export type HookRunPath = z.infer<typeof HookRunPath>;

// Linked issues -----------------------------------------------------------------------------------

export const LinkedIssue = z.object({
  issue_number: z.int().nullable(),
  issue_url: z.url().nullable(),
  repo_full_name: z.string().nullable(),
}).meta({ id: "LinkedIssue" });
export type LinkedIssue = z.infer<typeof LinkedIssue>;

export const IssueNumber = z.int().min(1).max(2_147_483_647);

const ISSUE_URL = /^https?:\/\/[^\s/]+\/[\w.-]{1,100}\/[\w.-]{1,100}\/issues\/[1-9]\d{0,9}\/?(?:[?#]\S*)?$/;

export const LinkIssue = TicketPath.extend({
  repo_full_name: RepoName.optional().describe(
    "When absent: the project's repository, if it has exactly one",
  ),
  issue_number: IssueNumber.optional(),
  issue_url: z.string().max(500).regex(
    ISSUE_URL,
    "Expected an address such as https://github.com/owner/name/issues/12",
  )
    .optional().describe("The issue's address, instead of repository and number"),
});
export type LinkIssue = z.infer<typeof LinkIssue>;

export const CreateIssue = TicketPath.extend({
  repo_full_name: RepoName.optional().describe(
    "A repository of the project; may be absent if the project has only one",
  ),
});
export type CreateIssue = z.infer<typeof CreateIssue>;

// Linked pull requests ----------------------------------------------------------------------------

export const PullRequest = z.object({
  repo: z.string().describe("owner/name, lower-cased"),
  number: z.int(),
  url: z.string(),
  state: z.enum(["open", "closed", "merged"]),
  created_at: Timestamp.describe("When the pull request was linked"),
  updated_at: Timestamp,
}).meta({ id: "PullRequest" });
export type PullRequest = z.infer<typeof PullRequest>;

export const ListPullRequests = TicketPath.extend(Page.shape);
export type ListPullRequests = z.infer<typeof ListPullRequests>;
export const PullRequestList = z.object({ pull_requests: z.array(PullRequest), next_cursor: NextCursor });
