import type { Context } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { asObject, parseJson } from "../core/json.ts";
import type { Kept, Outcome } from "../inbound/schema.ts";
import { type GitHubEvent, readEvent } from "./_payload.ts";
import { applyIssue } from "./apply_issue.ts";
import { applyPullRequest } from "./apply_pull_request.ts";

/** @throws {AppError} invalid_json; invalid_request for a body that is no object */
export function parseGitHubEvent(
  body: Uint8Array,
): { action: string | null; subject: string | null; event: GitHubEvent } {
  if (isForm(body)) {
    throw new AppError(
      "invalid_json",
      "The event came as a form: set the webhook's content type to application/json",
    );
  }
  const payload = asObject(parseJson(body));
  const event = readEvent(payload);
  return {
    action: typeof payload.action === "string" ? payload.action : null,
    subject: subjectOf(event),
    event,
  };
}

/** Applies a stored body. */
export async function applyGitHubDelivery(ctx: Context, { body, received_at }: Kept): Promise<Outcome> {
  const { event } = parseGitHubEvent(body);
  switch (event.kind) {
    case "pull_request":
      return await applyPullRequest(ctx, event.event, received_at);
    case "issue":
      return await applyIssue(ctx, event.event, received_at);
    case "other":
      return { outcome: "ignored", reason: event.reason };
  }
}

/** Recognizes form encoding, GitHub's default for a webhook that a person sets up. */
function isForm(body: Uint8Array): boolean {
  return new TextDecoder().decode(body.subarray(0, "payload=".length)) === "payload=";
}

function subjectOf(event: GitHubEvent): string | null {
  if (event.kind === "other") return null;
  const { number } = event.kind === "issue" ? event.event.issue : event.event.pull_request;
  return `${event.event.repository.full_name.toLowerCase()}#${number}`;
}
