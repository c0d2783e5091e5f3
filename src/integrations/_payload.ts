import { z } from "zod";
import {
  CommitSha,
  OffsetTime,
  RepoName,
  toStorableLine,
  toStorableText,
  WebAddress,
} from "../core/schema.ts";
import { IssueNumber } from "./schema.ts";

/** A text of the code host without the characters that can't be stored. */
export const StoredText = z.string().transform(toStorableText);
/** A title of the code host as one line. */
export const StoredLine = z.string().transform(toStorableLine);

const Repository = z.object({ full_name: RepoName, private: z.boolean().nullish().catch(null) });
const Login = z.object({ login: z.string() }).nullish().catch(null);

/**
 * The relevant parts of a `pull_request` event. The event is a snapshot of the whole pull request
 * for every action. A relay may leave out parts that follow from the others.
 */
export const PullRequestEvent = z.object({
  action: z.string(),
  pull_request: z.object({
    // The id and created_at only tell pull requests with the same number apart, so an event is
    // accepted even if they have another form.
    id: z.int().min(1).nullish().catch(null),
    number: IssueNumber,
    html_url: WebAddress.nullish(),
    title: StoredLine.default(""),
    body: StoredText.nullish(),
    state: z.enum(["open", "closed"]).nullish(),
    merged: z.boolean().nullish(),
    merged_at: OffsetTime.nullish(),
    merge_commit_sha: CommitSha.nullish(),
    created_at: OffsetTime.nullish().catch(null),
    updated_at: OffsetTime.nullish(),
    head: z.object({ ref: StoredText }).default({ ref: "" }),
    user: Login,
    author_association: z.string().nullish().catch(null),
  }),
  repository: Repository,
  sender: Login,
});
export type PullRequestEvent = z.infer<typeof PullRequestEvent>;

const IssuePayload = z.object({
  number: IssueNumber,
  html_url: WebAddress.nullish(),
  title: StoredLine.nullish(),
  state: z.enum(["open", "closed"]).nullish(),
  updated_at: OffsetTime.nullish(),
});

/**
 * The relevant parts of an `issues` event. Both repositories report a transfer, each naming the
 * other.
 */
export const IssueEvent = z.object({
  action: z.string(),
  issue: IssuePayload,
  repository: Repository,
  changes: z.object({
    new_issue: IssuePayload.extend({ html_url: WebAddress }).nullish(),
    new_repository: Repository.nullish(),
    // GitHub's description promises no more fields of the former issue.
    old_issue: z.object({ number: IssueNumber, updated_at: OffsetTime.nullish() }).nullish(),
    old_repository: Repository.nullish(),
  }).nullish(),
});
export type IssueEvent = z.infer<typeof IssueEvent>;

export type GitHubEvent =
  | { kind: "pull_request"; event: PullRequestEvent }
  | { kind: "issue"; event: IssueEvent }
  | { kind: "other"; reason: "unknown_event" | "unexpected_shape" };

/** Events about a part of a pull request or issue contain the whole of it, too. */
const PART_FIELDS = [
  "review",
  "comment",
  "thread",
  "sub_issue",
  "parent_issue",
  "blocked_issue",
  "blocking_issue",
];

/** Tells the kind of event by its body, because the header that names the kind is not signed. */
export function readEvent(body: Record<string, unknown>): GitHubEvent {
  if (PART_FIELDS.some((part) => part in body)) return { kind: "other", reason: "unknown_event" };
  if ("pull_request" in body && "action" in body) {
    const parsed = PullRequestEvent.safeParse(body);
    return parsed.success
      ? { kind: "pull_request", event: parsed.data }
      : { kind: "other", reason: "unexpected_shape" };
  }
  if ("issue" in body && "action" in body) {
    const parsed = IssueEvent.safeParse(body);
    return parsed.success
      ? { kind: "issue", event: parsed.data }
      : { kind: "other", reason: "unexpected_shape" };
  }
  return { kind: "other", reason: "unknown_event" };
}
