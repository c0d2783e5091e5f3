import { randomOf } from "../../random.ts";

/** The ways in which GitHub's documents say that a call can fail, and undocumented ones. */
export type FailureKind =
  | "bad_credentials"
  | "forbidden"
  | "not_found"
  | "hook_exists"
  | "validation_failed"
  | "secondary_rate_limit"
  | "primary_rate_limit"
  | "server_error"
  /** Answers late, but does what was requested. */
  | "slow"
  /** Does what was requested, but the connection breaks before the answer arrives. */
  | "lost_answer"
  /** Answers with the page of a proxy in between. */
  | "garbage"
  /** Sends the caller to another host. */
  | "foreign_redirect";

export interface FailureRule {
  kind: FailureKind;
  /**
   * The id of an operation in the description, such as `repos/create-webhook`; every operation if
   * absent.
   */
  operation?: string;
  repo?: string;
  /** The number of matching calls that succeed first. */
  after?: number;
  /** The number of calls that fail; 1 if absent. */
  times?: number;
  /** The share of calls that fail. */
  chance?: number;
  /** Seconds for the rate limits, milliseconds for `slow`. */
  wait?: number;
  /** For `validation_failed`: the content of `errors` instead of GitHub's usual list. */
  errors?: unknown;
  /** For `garbage`: a refusal's JSON instead of a page. */
  json?: unknown;
  /** For `foreign_redirect`: the target; an address where nobody listens if absent. */
  to?: string;
}

export interface Call {
  operation: string;
  repo: string | undefined;
}

/**
 * Decides which call fails and how. Random failures come from a seed, so that a run can be
 * repeated.
 */
export class Failures {
  readonly #rules: (FailureRule & { left: number; spared: number })[] = [];
  readonly #random = randomOf(1);

  add(rule: FailureRule): void {
    this.#rules.push({ ...rule, left: rule.times ?? 1, spared: rule.after ?? 0 });
  }

  clear(): void {
    this.#rules.length = 0;
  }

  next({ operation, repo }: Call): FailureRule | undefined {
    const rule = this.#rules.find((one) =>
      one.left > 0 && (one.operation ?? operation) === operation &&
      (one.repo === undefined || one.repo.toLowerCase() === repo?.toLowerCase()) &&
      (one.chance === undefined || this.#random() < one.chance) && --one.spared < 0
    );
    if (rule) rule.left--;
    return rule;
  }
}

const DOCS = "https://docs.github.com/rest";

/** Returns the documented body of a failure; null if the call is carried out in spite of it. */
export function failureAnswer(
  { kind, wait = 60, errors, json, to = "http://127.0.0.1:9/elsewhere" }: FailureRule,
): Response | null {
  switch (kind) {
    case "bad_credentials":
      return problem(401, "Bad credentials");
    case "forbidden":
      return problem(403, "Must have admin rights to Repository.");
    case "not_found":
      return problem(404, "Not Found");
    case "hook_exists":
      return invalid("Hook", "Hook already exists on this repository");
    case "validation_failed":
      return unprocessable(
        errors ?? [custom(
          "Hook",
          "url is not supported because it isn't reachable over the public Internet (localhost)",
        )],
      );
    case "secondary_rate_limit":
      return problem(
        403,
        "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.",
        {
          "retry-after": String(wait),
        },
      );
    case "primary_rate_limit":
      return problem(403, "API rate limit exceeded for user ID 1.", {
        "x-ratelimit-limit": "5000",
        "x-ratelimit-remaining": "0",
        "x-ratelimit-reset": String(Math.floor(Date.now() / 1000) + wait),
      });
    case "server_error":
      return problem(502, "Server Error");
    case "garbage":
      if (json !== undefined) return Response.json(json, { status: 403 });
      return new Response("<html>Sign in to the guest network</html>", {
        headers: { "content-type": "text/html" },
      });
    case "foreign_redirect":
      return new Response(null, { status: 302, headers: { location: to } });
    case "slow":
    case "lost_answer":
      return null;
  }
}

export function problem(status: number, message: string, headers: Record<string, string> = {}): Response {
  return Response.json({ message, documentation_url: DOCS, status: String(status) }, { status, headers });
}

export function invalid(resource: string, message: string): Response {
  return unprocessable([custom(resource, message)]);
}

function custom(resource: string, message: string) {
  return { resource, code: "custom", message };
}

function unprocessable(errors: unknown): Response {
  return Response.json({ message: "Validation Failed", errors, documentation_url: DOCS, status: "422" }, {
    status: 422,
  });
}
