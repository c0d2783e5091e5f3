import { z } from "zod";

/**
 * Every way in which a call can fail, with its HTTP status and a default sentence for throwers that
 * have no better one. Routers, REST, OpenAPI and the logs all read this one table.
 */
export const ERRORS = {
  invalid_request: { status: 400, message: "The request is invalid" },
  invalid_json: { status: 400, message: "The body is not valid JSON" },
  invalid_signature_payload: {
    status: 400,
    message: "The signature could not be verified",
    code: "invalid_signature",
  },
  unauthenticated: { status: 401, message: "Authentication is required" },
  token_expired: { status: 401, message: "The access token has expired" },
  token_reused: { status: 401, message: "The refresh token was used before; its session has been ended" },
  invalid_credentials: { status: 401, message: "Email or password is wrong" },
  invalid_signature: { status: 401, message: "The webhook signature is invalid" },
  code_hosting_not_linked: { status: 401, message: "No code-hosting account is linked" },
  forbidden: { status: 403, message: "You may not do this" },
  insufficient_scope: { status: 403, message: "The API key lacks the scope that this call needs" },
  csrf: { status: 403, message: "A cookie-authenticated write from another site was refused" },
  not_found: { status: 404, message: "Not found" },
  method_not_allowed: { status: 405, message: "This path does not take this method" },
  request_timeout: { status: 408, message: "The body did not arrive in time" },
  conflict: { status: 409, message: "The request conflicts with what is stored" },
  invalid_transition: { status: 409, message: "This change of status is not allowed" },
  dependencies_unfinished: { status: 409, message: "The task's dependencies are not finished" },
  already_claimed: { status: 409, message: "The task is already claimed" },
  roles_incomplete: { status: 409, message: "Roles of the ticket are unfinished" },
  already_answered: { status: 409, message: "The question is answered already" },
  question_stale: {
    status: 409,
    message: "The ticket has changed since the version that the question is about",
  },
  question_unanswered: { status: 409, message: "A person's question on the ticket is unanswered" },
  people_close: { status: 409, message: "Only people close tickets of this project" },
  children_open: { status: 409, message: "Children of the ticket are open" },
  ticket_blocked: { status: 409, message: "The ticket waits for other tickets" },
  human_tests_pending: { status: 409, message: "Human test cases of the ticket are not approved" },
  version_conflict: { status: 412, message: "The resource has another version than If-Match names" },
  answer_too_large: { status: 400, message: "The answer would be too large" },
  payload_too_large: { status: 413, message: "The body is too large" },
  unsupported_media_type: { status: 415, message: "The body must be application/json" },
  conversation_loop: {
    status: 429,
    message: "Agents have commented on this ticket for too long without a person",
  },
  rate_limited: { status: 429, message: "Too many attempts" },
  internal: { status: 500, message: "The service failed to handle this call" },
  projects_unavailable: { status: 500, message: "The projects could not be loaded" },
  stamp_failed: { status: 500, message: "The tickets could not be stamped; send the call again" },
  report_failed: { status: 500, message: "The deploy report could not be stored; send the call again" },
  close_failed: { status: 500, message: "The tickets could not be closed; send the call again" },
  webhook_secret_not_configured: { status: 503, message: "The secret of this webhook is not configured" },
  not_configured: { status: 503, message: "This function is not configured" },
  unavailable: { status: 503, message: "The service is not available at the moment" },
} as const satisfies Record<string, { status: number; message: string; code?: string }>;

export type ErrorCode = keyof typeof ERRORS;
export type ErrorStatus = (typeof ERRORS)[ErrorCode]["status"];

/** The body of every failed answer. */
export const ErrorBody = z.object({
  error: z.string().describe("Human-readable message"),
  code: z.string().optional().describe("Stable machine-readable code"),
  fieldErrors: z.record(z.string(), z.string()).optional().describe(
    "First validation message per field path",
  ),
  issues: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  retryAfter: z.number().optional().describe("Seconds until the rate limit resets"),
  reconnect: z.boolean().optional().describe("True if linking the code-hosting account again may help"),
  details: z.record(z.string(), z.unknown()).optional().describe(
    "Facts that belong to the code. version_conflict, already_claimed and already_answered: `current`, the " +
      "resource as it is now; question_unanswered: the `questions`, each with id and prompt; " +
      "dependencies_unfinished: the `task_ids` it waits for; roles_incomplete: the `roles`; human_tests_pending: " +
      "the `cases`, each with id and title; people_close: `people`, the project's setting; children_open: the open `children`, and " +
      "ticket_blocked: the `blockers`, each with id, ticket_ref and title; invalid_request: `cycle`, ids of tasks or " +
      "refs of tickets that depend on each other; " +
      "conflict: `created`, the address of an issue that was created but not linked, or `project`, the project " +
      "that has the key",
  ),
  requestId: z.string().optional(),
}).meta({ id: "Error" });
export type ErrorBody = z.infer<typeof ErrorBody>;

interface ErrorFields {
  issues?: Issue[] | undefined;
  retryAfter?: number | undefined;
  reconnect?: boolean | undefined;
  details?: Record<string, unknown> | undefined;
  /** Header fields of the failure's answer, such as RateLimit. */
  headers?: Record<string, string> | undefined;
  cause?: unknown;
}

/**
 * A failure that the caller may read. Any other error becomes `internal` in the answer, and only
 * the log shows its cause.
 */
export class AppError extends Error {
  override name = "AppError";
  readonly code: ErrorCode;
  readonly fields: ErrorFields;

  constructor(code: ErrorCode, message?: string, fields: ErrorFields = {}) {
    super(message ?? ERRORS[code].message, { cause: fields.cause });
    this.code = code;
    this.fields = fields;
  }

  get status(): ErrorStatus {
    return ERRORS[this.code].status;
  }

  /** Writes the answer's body. The body has no request id if the call failed before it got one. */
  body(requestId: string | undefined): ErrorBody {
    const { issues, retryAfter, reconnect, details } = this.fields;
    const entry: { status: number; code?: string } = ERRORS[this.code];
    return {
      error: this.message,
      code: entry.code ?? this.code,
      ...(issues && { fieldErrors: firstOfEachPath(issues), issues }),
      ...(retryAfter !== undefined && { retryAfter }),
      ...(reconnect !== undefined && { reconnect }),
      ...(details && { details }),
      ...(requestId !== undefined && { requestId }),
    };
  }
}

/**
 * An `invalid_request` that names one field. It is for faults that the schema can't find, because
 * they depend on the database or on another field.
 */
export function invalidField(path: string, message: string): AppError {
  return invalidRequest([{ path, message }]);
}

/** An `invalidField` for things that would depend on themselves. @param cycle their path */
export function invalidCycle(path: string, message: string, cycle: readonly string[]): AppError {
  const { message: whole, fields } = invalidField(path, message);
  return new AppError("invalid_request", whole, { ...fields, details: { cycle } });
}

/** A fault, with the dotted path of the faulty value. */
export interface Issue {
  path: string;
  message: string;
}

/**
 * The most issues that an answer names. One issue for each item of a long list would make the
 * answer longer than the list.
 */
const MAX_ISSUES = 100;

export function invalidRequest(issues: Issue[]): AppError {
  const first = issues[0];
  const where = first?.path ? `${first.path}: ` : "";
  return new AppError("invalid_request", first ? `Invalid request: ${where}${first.message}` : undefined, {
    issues: issues.slice(0, MAX_ISSUES),
  });
}

// Sentences that replace zod's. For a missing field zod says `received undefined`, which JSON
// doesn't have. For 1.5 zod says that an int was expected and a number received.
z.config({
  customError: (issue) => {
    // For a missing value of an enum, zod only lists the allowed values.
    if (issue.code !== "invalid_type" && issue.code !== "invalid_value") return undefined;
    if (issue.input === undefined && issue.path?.length) return "Required";
    if (issue.code === "invalid_value") return undefined;
    return issue.expected === "int" ? "Expected a whole number" : undefined;
  },
});

/**
 * Turns zod's issues into this service's issues, with dotted paths. Unknown keys are named one by
 * one.
 */
export function fromZod(error: z.core.$ZodError): AppError {
  const issues = error.issues.slice(0, MAX_ISSUES).flatMap((issue) => {
    const path = issue.path.map(String).join(".");
    if (issue.code !== "unrecognized_keys") return [{ path, message: issue.message }];
    return issue.keys.slice(0, MAX_ISSUES)
      .map((key) => ({ path: path ? `${path}.${key}` : key, message: "Unknown field" }));
  });
  return invalidRequest(issues);
}

function firstOfEachPath(issues: Issue[]): Record<string, string> {
  // This is a Map, because a path may have the name `constructor`, which every object has.
  const first = new Map<string, string>();
  for (const { path, message } of issues) if (!first.has(path)) first.set(path, message);
  return Object.fromEntries(first);
}
