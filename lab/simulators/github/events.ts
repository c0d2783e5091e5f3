import { sign } from "@octokit/webhooks-methods";
import { v5 as uuid } from "uuid";

/**
 * A delivery as GitHub sends it. It is a real payload of an event, with the current facts filled
 * in.
 */
export interface GitHubDelivery {
  event: string;
  payload: Record<string, unknown>;
}

export interface PullRequestFacts {
  repo: string;
  number: number;
  /**
   * GitHub's own id, which differs from that of another repository's pull request with the same
   * number.
   */
  id?: number | null;
  action?: string;
  title?: string;
  body?: string | null;
  branch?: string;
  /**
   * The commit that is on the base branch after the merge: a squash's, a merge's or the last of a
   * rebase.
   */
  mergeSha?: string;
  state?: "open" | "closed";
  /** The time of the event. GitHub's times have whole seconds. */
  at?: string;
  /** The time of the merge, if `at` is the time of a later event. */
  mergedAt?: string;
  openedAt?: string;
}

export interface IssueFacts {
  repo: string;
  number: number;
  action: string;
  title?: string;
  state?: "open" | "closed";
  at?: string;
  /**
   * The other end of a transfer: the new place of a transferred issue, or the former place of an
   * issue that was opened by a transfer.
   */
  other?: { repo: string; number: number };
}

interface Examples {
  name: string;
  examples: Record<string, unknown>[];
}

/**
 * In GitHub's example of a transfer the issue has this time at its new place, five months before
 * the transfer.
 */
const ARRIVED = "2019-05-15T15:20:18Z";

const FILE = new URL(
  "../../../node_modules/@octokit/webhooks-examples/api.github.com/index.json",
  import.meta.url,
);

/** Returns at least one real payload of every event that GitHub has. */
export async function everyExample(): Promise<GitHubDelivery[]> {
  const events: Examples[] = JSON.parse(await Deno.readTextFile(FILE));
  return events.flatMap(({ name, examples }) => examples.map((payload) => ({ event: name, payload })));
}

/** Makes deliveries about pull requests and issues from GitHub's examples. */
export class GitHubEvents {
  readonly #examples: GitHubDelivery[];

  private constructor(examples: GitHubDelivery[]) {
    this.#examples = examples;
  }

  static async load(): Promise<GitHubEvents> {
    return new GitHubEvents(await everyExample());
  }

  pullRequest(facts: PullRequestFacts): GitHubDelivery {
    const { repo, number, mergeSha, at = now(), state = mergeSha ? "closed" : "open" } = facts;
    const example = this.#example("pull_request", "closed");
    const pull_request = {
      ...example.pull_request as Record<string, unknown>,
      id: facts.id === undefined ? idOf(`${repo.toLowerCase()}#${number}`) : facts.id,
      number,
      state,
      title: facts.title ?? "A change",
      body: facts.body ?? null,
      html_url: `https://github.com/${repo}/pull/${number}`,
      head: { ...(example.pull_request as { head: object }).head, ref: facts.branch ?? "changes" },
      merged: mergeSha !== undefined,
      merge_commit_sha: mergeSha ?? "c4295bd74fb0f4fda03689c3df3f2803b658fd85",
      merged_at: mergeSha ? facts.mergedAt ?? at : null,
      closed_at: state === "closed" ? at : null,
      created_at: facts.openedAt ?? at,
      updated_at: at,
    };
    const action = facts.action ?? (state === "closed" ? "closed" : "opened");
    return {
      event: "pull_request",
      payload: { ...example, action, number, pull_request, repository: named(example, repo) },
    };
  }

  issue(facts: IssueFacts): GitHubDelivery {
    const { repo, number, action, other, at = now() } = facts;
    const example = this.#example("issues", "edited");
    const issueAt = (place: { repo: string; number: number }, updated_at: string) => ({
      ...example.issue as object,
      title: facts.title ?? "An issue",
      state: facts.state ?? "open",
      number: place.number,
      html_url: `https://github.com/${place.repo}/issues/${place.number}`,
      updated_at,
    });
    const prefix = action === "transferred" ? "new" : "old";
    const issue = issueAt({ repo, number }, other && prefix === "old" ? ARRIVED : at);
    const beside = other && {
      issue: issueAt(other, prefix === "new" ? ARRIVED : at),
      repository: named(example, other.repo),
    };
    const changes = beside &&
      { [`${prefix}_issue`]: beside.issue, [`${prefix}_repository`]: beside.repository };
    const { changes: _, ...rest } = example;
    return {
      event: "issues",
      payload: { ...rest, action, issue, repository: named(example, repo), ...(changes && { changes }) },
    };
  }

  #example(name: string, action: string): Record<string, unknown> {
    const found = this.#examples.find(({ event, payload }) => event === name && payload.action === action);
    if (!found) throw new Error(`no example of ${name} ${action}`);
    return structuredClone(found.payload);
  }
}

/** Returns the exact text to send, and its headers. */
export async function signedDelivery(
  { event, payload }: GitHubDelivery,
  { secret, id = crypto.randomUUID() }: { secret: string; id?: string },
): Promise<{ body: string; headers: Record<string, string> }> {
  const body = JSON.stringify(payload);
  return {
    body,
    headers: {
      "content-type": "application/json",
      "user-agent": "GitHub-Hookshot/0000000",
      "x-github-event": event,
      "x-github-delivery": id,
      "x-hub-signature-256": await sign(secret, body),
    },
  };
}

/** Makes an id like GitHub's own: no two pull requests have the same. */
function idOf(place: string): number {
  return Number.parseInt(uuid(place, uuid.URL).slice(0, 8), 16) + 1;
}

function named({ repository }: Record<string, unknown>, repo: string): Record<string, unknown> {
  return { ...repository as object, full_name: repo, name: repo.split("/")[1] };
}

function now(): string {
  return new Date().toISOString().replace(/\.\d{3}Z$/, "Z");
}
