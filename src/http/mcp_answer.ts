import type { ErrorBody, ErrorCode } from "../core/errors.ts";

type Json = Record<string, unknown>;

/** The codes of other callers: browsers, webhooks, jobs, and requests that never get as far as a tool. */
type CodeOfOthers =
  | "close_failed"
  | "code_hosting_not_linked"
  | "csrf"
  | "invalid_credentials"
  | "invalid_json"
  | "invalid_signature"
  | "invalid_signature_payload"
  | "method_not_allowed"
  | "projects_unavailable"
  | "report_failed"
  | "request_timeout"
  | "stamp_failed"
  | "token_expired"
  | "token_reused"
  | "unsupported_media_type"
  | "webhook_secret_not_configured";

/** The next step of an agent after each failure that a tool can meet. It follows the error's sentence. */
export const NEXT_STEPS: Record<Exclude<ErrorCode, CodeOfOthers>, string> = {
  already_answered: "Read the answer with get_ticket.",
  already_claimed: "Another agent works on it. Claim another task: claim_task without task_id.",
  answer_too_large: "Ask for less, or for one part at a time.",
  children_open: "Finish the children first, or leave the ticket in validation.",
  conflict: "Read the ticket again with get_ticket.",
  conversation_loop: "Ask a person with ask_human, or go on without a comment.",
  dependencies_unfinished: "Claim another task: claim_task without task_id.",
  forbidden: "This key may not do it. Ask a person with ask_human.",
  human_tests_pending: "Only a person approves test cases. Tell your user, or wait_for the ticket.",
  insufficient_scope: "Ask your user for an API key with this scope.",
  internal: "Try again once. If it fails again, tell your user the requestId.",
  invalid_request: "Correct the named fields and call again.",
  invalid_transition: "Read the task or role as it is now with get_ticket.",
  not_configured: "This installation doesn't offer it. Go on without it.",
  not_found:
    "Check the ref or id. get_context shows your questions, find_tickets and find_tasks list the rest.",
  people_close: "Move it to validation with update_ticket and tell your user.",
  payload_too_large: "Send or ask for less.",
  question_stale: "Read the ticket again with get_ticket. Ask again if the question still matters.",
  question_unanswered: "wait_for the ticket until a person has answered.",
  rate_limited: "Wait for retryAfter seconds.",
  roles_incomplete: "Finish or skip the roles first with set_role.",
  ticket_blocked: "Work on one of the blockers, or on something else: claim_task without task_id.",
  unauthenticated: "The key is no longer valid. Ask your user for another one.",
  unavailable: "Wait some seconds and call again. With an idempotency_key nothing happens twice.",
  version_conflict: "Read it again with get_ticket, then decide whether your change still fits.",
};

/**
 * Fields of the current resource that tell an agent who holds the resource and in which state it
 * is.
 */
const KEPT_OF_CURRENT = [
  "ticket_ref",
  "version",
  "status",
  "stage",
  "assignee_user_id",
  "assignee_session_id",
  "lease_expires_at",
];

/** The most characters of the sentence of a failure that would be too long. */
const SENTENCE_LENGTH = 300;

/**
 * Writes the failure of a tool. If it has more than `maxBytes`, it is told without details and with
 * the beginning of its sentence, because the sentence may contain a long name that the agent sent.
 */
export function toolFailure(body: ErrorBody, maxBytes: number): string {
  const whole = JSON.stringify(toolError(body));
  if (Buffer.byteLength(whole) <= maxBytes) return whole;
  const { issues: _, details: __, ...short } = body;
  const error = `${body.error.slice(0, SENTENCE_LENGTH).toWellFormed()}…`;
  return JSON.stringify(toolError({ ...short, error }));
}

/**
 * The failure of a tool, in the words of the error table, without the fields that a model has no
 * use for.
 */
function toolError({ fieldErrors: _, details, requestId, issues, ...body }: ErrorBody): Json {
  const next = body.code && NEXT_STEPS[body.code as keyof typeof NEXT_STEPS];
  const current = details?.current;
  const known = isObject(current)
    ? { current: Object.fromEntries(KEPT_OF_CURRENT.map((field) => [field, current[field]])) }
    : details && { details };
  return withoutNulls({
    ...body,
    error: sentenceOf(body, issues, current),
    ...(issues && { issues: firstOfEach(issues) }),
    ...known,
    // Only people who look into the log have a use for it.
    ...(body.code === "internal" && { requestId }),
    ...(next && { next }),
  }) as Json;
}

/** The sentence, unless other fields say it as well, or it is about HTTP. */
function sentenceOf({ error, code }: ErrorBody, issues: ErrorBody["issues"], current: unknown): string {
  if (issues?.length) return "Invalid arguments";
  if (code === "version_conflict" && isObject(current)) return `Its version is ${current.version} now`;
  return error;
}

/** One fault of a value is enough to correct it. */
function firstOfEach(issues: NonNullable<ErrorBody["issues"]>): NonNullable<ErrorBody["issues"]> {
  return issues.filter(({ path }, at) => issues.findIndex((issue) => issue.path === path) === at);
}

/**
 * Returns the value without null and undefined fields, because these fields cost tokens, and
 * because clients differ in how they read nullable types.
 */
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, field]) => field == null ? [] : [[name, withoutNulls(field)]]),
  );
}

export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
